import { Box, Button, Group } from '@mantine/core';
import type { MouseEvent } from 'react';
import { UrlTextInput } from '../../components/form/url-text-input.tsx';
import { Search, X } from '../../components/icons.tsx';
import { TextLink } from '../../components/links.tsx';
import { menuOnDemand } from '../../components/menu-on-demand.tsx';
import { AddFilterButton } from './add-filter-button.tsx';
import { mightBeSecret, partsOf, searchOf } from './key-filter.ts';
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
        placeholder="Search by name or prefix"
        type="search"
        size="md"
        leftSection={<Search size={18} />}
        maxLength={100}
        value={chosen.search}
        // Replaces the history entry, so that Back does not step through each pause in typing.
        apply={(search) => choose({ search }, { replace: true })}
        read={(text) => (mightBeSecret(searchOf(text)) ? '' : searchOf(text))}
        check={(text) =>
          mightBeSecret(searchOf(text)) && (
            <>
              This could be a secret, so it is not searched.{' '}
              <TextLink to="/teams/$teamId/try" params={{ teamId }}>
                Try a key
              </TextLink>{' '}
              finds the key of a secret.
            </>
          )
        }
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
