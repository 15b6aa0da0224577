import { Box, Button, Group } from '@mantine/core';
import type { MouseEvent } from 'react';
import { limits } from '../../../domain/limits.ts';
import { UrlTextInput } from '../../components/form/url-text-input.tsx';
import { Search, X } from '../../components/icons.tsx';
import { menuOnDemand } from '../../components/menu-on-demand.tsx';
import { AddFilterButton } from './add-filter-button.tsx';
import { partsOf } from './key-filter.ts';
import type { KeyQuery } from './key-query.ts';

/** The search and the filters in use, each of which a click removes. */
export function KeyFilters({ teamId, query }: { readonly teamId: string; readonly query: KeyQuery }) {
  const { chosen, choose, clear, narrowed } = query;
  const remove = (event: MouseEvent, without: Partial<typeof chosen>) => {
    // The clicked button disappears, so the button beside it takes the focus.
    event.currentTarget.closest('[role=search]')?.querySelector<HTMLElement>('.add-filter')?.focus();
    choose(without);
  };
  return (
    <Box role="search" className="filters">
      <UrlTextInput
        aria-label="Search"
        placeholder="Search by name, prefix, ID or tag, or paste a line of a log"
        type="search"
        size="md"
        leftSection={<Search size={18} />}
        maxLength={limits.searchCharacters}
        value={chosen.search}
        // Replaces the history entry, so that Back does not step through each pause in typing.
        apply={(search) => choose({ search }, { replace: true })}
      />
      <Group gap={6}>
        {partsOf(chosen).map(({ label, without }) => (
          <button
            key={label}
            type="button"
            className="chip breakable"
            aria-label={`Remove the filter ${label}`}
            onClick={(event) => remove(event, without)}
          >
            {label} <X size={14} />
          </button>
        ))}
        <AddFilter teamId={teamId} query={query} />
        {narrowed && (
          <Button variant="subtle" color="gray" size="compact-sm" onClick={clear}>
            Clear
          </Button>
        )}
      </Group>
    </Box>
  );
}

const AddFilter = menuOnDemand<{ readonly teamId: string; readonly query: KeyQuery }>(
  async () => (await import('./filter-menu.tsx')).FilterMenu,
  ({ open }) => <AddFilterButton onClick={open} />,
);
