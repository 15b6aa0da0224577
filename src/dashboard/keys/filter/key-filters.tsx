import { Box, Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback, useMediaQuery } from '@mantine/hooks';
import { useMatch, useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { TextLink } from '../../components/links.tsx';
import { mightBeSecret, searchOf, selects, texts } from './key-filter.ts';
import { type KeyQuery, orders } from './key-query.ts';

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
        // Replaces the history entry, so that Back does not step through each pause in typing.
        onChange={(search) => choose({ search }, { replace: true })}
        secretHint={
          <>
            This could be a secret, so it is not searched.{' '}
            <TextLink to="/teams/$teamId/try" params={{ teamId }}>
              Try a key
            </TextLink>{' '}
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

interface SearchProps {
  readonly label: string;
  readonly placeholder?: string;
  readonly type?: 'search' | 'text';
  readonly maxLength: number;
  readonly value: string;
  readonly onChange: (text: string) => void;
  /** Shown instead of searching for a text that could be a secret. Without a hint, every text is searched for. */
  readonly secretHint?: ReactNode;
}

/** A text field of the filter. It shows the URL's value, and changes the URL shortly after the last key press. */
function SearchBox({ value, onChange, secretHint, ...rest }: SearchProps) {
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  const router = useRouter();
  const { pathname } = useMatch({ from: '/teams/$teamId/keys' });
  const send = useDebouncedCallback((text: string) => {
    // While another page is loading, tries again later. When that page is shown, this box and its timer are gone.
    if (router.latestLocation.pathname !== pathname) return send(text);
    const search = searchOf(text);
    const isSearched = secretHint === undefined || !mightBeSecret(search);
    sent.current = isSearched ? search : '';
    if (sent.current !== value) onChange(sent.current);
    if (isSearched && search !== text.trim()) setTyped(search);
  }, 250);
  useEffect(() => {
    // A change of the URL that came from this box needs no update.
    if (value === sent.current) return;
    sent.current = value;
    send.cancel();
    setTyped(value);
  }, [value, send]);

  return (
    <TextInput
      {...rest}
      value={typed}
      error={mightBeSecret(searchOf(typed)) ? secretHint : undefined}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        send(currentTarget.value);
      }}
    />
  );
}
