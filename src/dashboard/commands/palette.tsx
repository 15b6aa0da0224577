/** The command palette: a field that filters a list of commands and finds keys. Loaded on demand. */
import './palette.css';
import { Text } from '@mantine/core';
import { createSpotlight, Spotlight, useSpotlight } from '@mantine/spotlight';
import { useEffect, useState } from 'react';
import { limits } from '../../domain/limits.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { type Command, type Place, useCommands } from './found-commands.tsx';

interface Props extends Place {
  readonly opened: boolean;
  readonly close: () => void;
}

const [store] = createSpotlight();
const listId = 'commands';
const idOf = (index: number) => `${listId}-${index}`;

export function Palette({ opened, close, ...place }: Props) {
  const [search, setSearch] = useState('');
  const { commands, keys } = useCommands(search.trim(), place);
  const { selected: choice } = useSpotlight(store);
  useEffect(() => store.setState((state) => ({ ...state, opened })), [opened]);
  // The first command is selected when the palette opens, and also when Spotlight has cleared its state.
  useEffect(() => {
    if (opened && choice < 0) store.setState((state) => ({ ...state, selected: 0 }));
  }, [opened, choice]);
  const selected = Math.min(choice, commands.length - 1);
  return (
    <Spotlight.Root
      store={store}
      shortcut={null}
      zIndex={200}
      returnFocus={false}
      query={search}
      onQueryChange={setSearch}
      onSpotlightClose={close}
      // Spotlight gives its dialog no name, and its list no roles.
      attributes={{ content: { 'aria-label': 'Commands' } }}
    >
      <Spotlight.Search
        placeholder="A page, an action, a team, or anything that tells which key"
        aria-label="Command"
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={idOf(selected)}
        autoComplete="off"
        spellCheck={false}
        maxLength={limits.searchCharacters}
        // Spotlight then selects another command, but does not notify those who use its store.
        onKeyDown={() => queueMicrotask(() => store.setState((state) => ({ ...state })))}
      />
      <Spotlight.ActionsList id={listId} role="listbox" aria-label="Commands">
        {commands.map((command, index) => (
          <Action key={command.id} command={command} index={index} isSelected={index === selected} />
        ))}
      </Spotlight.ActionsList>
      <Spotlight.Footer>
        {keys.error !== null && <ErrorNotice error={keys.error} retry={keys.refetch} retrying={keys.isSearching} />}
        <Text size="xs" c="dimmed" role="status">
          {keys.isSearching ? 'Searching keys…' : (keys.hint ?? `${commands.length} found`)}
        </Text>
      </Spotlight.Footer>
    </Spotlight.Root>
  );
}

interface ActionProps {
  readonly command: Command;
  readonly index: number;
  readonly isSelected: boolean;
}

function Action({ command: { label, detail, aside, run }, index, isSelected }: ActionProps) {
  return (
    <Spotlight.Action
      // Spotlight does not pass on `id`.
      ref={(option) => {
        if (option !== null) option.id = idOf(index);
      }}
      role="option"
      aria-selected={isSelected}
      data-selected={isSelected || undefined}
      className="command breakable"
      label={label}
      {...(detail === undefined ? {} : { description: detail })}
      rightSection={aside}
      onClick={run}
    />
  );
}
