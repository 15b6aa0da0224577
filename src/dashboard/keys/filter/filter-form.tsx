/** The form with all filters and the order. Each choice applies at once. Loaded on demand. */
import { NativeSelect, Popover, Stack } from '@mantine/core';
import { limits } from '../../../domain/limits.ts';
import { PillsInput } from '../../components/form/pills-input.tsx';
import { UrlTextInput } from '../../components/form/url-text-input.tsx';
import { useOpened } from '../../components/menu-on-demand.tsx';
import { AddFilterButton } from './add-filter-button.tsx';
import { searchOf, selects } from './key-filter.ts';
import { type KeyQuery, orders } from './key-query.ts';

export function FilterForm({ query: { chosen, choose, orderBy } }: { readonly query: KeyQuery }) {
  const { target, opened, setOpened } = useOpened();
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-start"
      // In the landmark of the search. Users of screen readers rarely find elements outside of landmarks.
      withinPortal={false}
      trapFocus
      returnFocus
      shadow="md"
    >
      <Popover.Target>
        <AddFilterButton ref={target} onClick={() => setOpened(!opened)} />
      </Popover.Target>
      <Popover.Dropdown w="min(340px, calc(100vw - 32px))" mah="70vh" style={{ overflowY: 'auto' }}>
        <Stack gap="xs">
          {selects.map(({ criterion, label, choices }) => (
            <NativeSelect
              key={criterion}
              label={label}
              data={[...choices]}
              value={chosen[criterion]}
              onChange={({ currentTarget }) => choose({ [criterion]: currentTarget.value })}
            />
          ))}
          <PillsInput
            kind="tags"
            label="Tags"
            description="Only keys with all of them."
            maxTags={limits.tags}
            value={chosen.tag}
            onChange={(tag) => choose({ tag })}
          />
          <UrlTextInput
            label="External ID"
            maxLength={limits.externalIdCharacters}
            value={chosen.externalId}
            read={searchOf}
            apply={(externalId) => choose({ externalId }, { replace: true })}
          />
          <NativeSelect
            label="Order"
            data={orders}
            value={`${orderBy.direction === 'DESC' ? '-' : ''}${orderBy.field}`}
            onChange={({ currentTarget }) => choose({ sort: currentTarget.value })}
          />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
