/** The command palette: a field that filters a list of commands. Loaded on demand. */
import { Combobox, Group, Text, TextInput, useCombobox } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useFirstFocus } from '../components/use-first-focus.ts';
import type { Viewer } from '../session/viewer.ts';
import { useCommands } from './use-commands.ts';

interface Props {
  readonly viewer: Viewer;
  readonly teamId: string | undefined;
  readonly close: () => void;
  readonly showShortcuts: () => void;
}

export function Palette({ viewer, teamId, close, showShortcuts }: Props) {
  const [search, setSearch] = useState('');
  // The dialog focuses only what it contains when it opens.
  const field = useFirstFocus<HTMLInputElement>();
  const combobox = useCombobox({ opened: true, onDropdownClose: close });
  const found = useCommands({ viewer, teamId, search: search.trim(), showShortcuts });
  const { selectFirstOption } = combobox;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first of the commands that are found by another search.
  useEffect(() => {
    selectFirstOption();
  }, [search]);
  const run = (id: string) => {
    close();
    found.find((command) => command.id === id)?.run();
  };
  return (
    <Combobox store={combobox} onOptionSubmit={run}>
      <Combobox.EventsTarget withExpandedAttribute>
        <TextInput
          ref={field}
          data-autofocus
          aria-label="Command"
          placeholder="A page, a team, or a key to search for"
          autoComplete="off"
          spellCheck={false}
          maxLength={100}
          value={search}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      </Combobox.EventsTarget>
      <Combobox.Options aria-label="Commands" tabIndex={0} mt="xs" mah={360} style={{ overflowY: 'auto' }}>
        {found.map(({ id, label, detail }) => (
          <Combobox.Option key={id} value={id}>
            <Group justify="space-between" gap="xs" className="breakable">
              <Text size="sm">{label}</Text>
              {detail !== undefined && (
                <Text size="xs" c="dimmed">
                  {detail}
                </Text>
              )}
            </Group>
          </Combobox.Option>
        ))}
      </Combobox.Options>
      {found.length === 0 && (
        <Text size="sm" mt="xs" role="status">
          No command matches.
        </Text>
      )}
    </Combobox>
  );
}
