import { Box, Button, Group, NativeSelect } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useId, useState } from 'react';
import { TextLink } from '../../components/text-link.tsx';
import { selects, texts } from './key-filter.ts';
import { type KeyQuery, orders } from './key-query.ts';
import { SearchBox } from './search-box.tsx';

/** The search and the filters. On a phone, the filters are behind a button, so that the first keys are visible. */
export function KeyFilters({ teamId, query }: { readonly teamId: string; readonly query: KeyQuery }) {
  const { chosen, choose, clear, filters, narrowed } = query;
  const wide = useMediaQuery('(min-width: 48em)', undefined, { getInitialValueInEffect: false });
  const [opened, setOpened] = useState(false);
  const id = useId();
  return (
    <Box role="search" className="filters">
      <SearchBox
        label="Search"
        placeholder="Name or prefix"
        type="search"
        maxLength={100}
        value={chosen.search}
        // Not in the history: Back should not go through each pause while typing.
        onChange={(search) => choose({ search }, { replace: true })}
        secretHint={
          <>
            This could be a secret, so it is not searched. <TextLink to={`/teams/${teamId}/try`}>Try a key</TextLink>{' '}
            finds the key of a secret.
          </>
        }
      />
      {!wide && (
        <Group gap="xs" wrap="nowrap" align="end">
          <Button variant="default" aria-expanded={opened} aria-controls={id} onClick={() => setOpened(!opened)}>
            {filters === 0 ? 'Filters' : `Filters (${filters})`}
          </Button>
          {narrowed && <Clear clear={clear} />}
        </Group>
      )}
      <Box id={id} className="filters-more">
        {(wide || opened) && <Filters query={query} />}
        {wide && narrowed && <Clear clear={clear} />}
      </Box>
    </Box>
  );
}

function Clear({ clear }: { readonly clear: () => void }) {
  return (
    <Button variant="subtle" px="xs" onClick={clear}>
      Clear
    </Button>
  );
}

function Filters({ query: { chosen, choose, orderBy } }: { readonly query: KeyQuery }) {
  return (
    <>
      {selects.map(({ criterion, label, choices }) => (
        <NativeSelect
          key={criterion}
          label={label}
          data={[...choices]}
          value={chosen[criterion]}
          onChange={({ currentTarget }) => choose({ [criterion]: currentTarget.value })}
        />
      ))}
      {texts.map(({ criterion, label, maxLength }) => (
        <SearchBox
          key={criterion}
          label={label}
          maxLength={maxLength}
          value={chosen[criterion]}
          onChange={(text) => choose({ [criterion]: text }, { replace: true })}
        />
      ))}
      {/* Narrow windows have no room for the columns with these orders. */}
      <NativeSelect
        hiddenFrom="md"
        label="Order"
        data={orders}
        value={`${orderBy.direction === 'DESC' ? '-' : ''}${orderBy.field}`}
        onChange={({ currentTarget }) => choose({ sort: currentTarget.value })}
      />
    </>
  );
}
