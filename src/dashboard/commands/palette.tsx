/** The command palette: a field that filters a list of commands. Loaded on demand. */
import {
  Combobox,
  Group,
  Text,
  TextInput,
  useCombobox,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { type LinkOptions, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { isUuid } from '../../lib/uuid.ts';
import { askToLeave } from '../components/dialog/leave-guard.tsx';
import { useFirstFocus } from '../components/use-first-focus.ts';
import { mightBeSecret, searchOf } from '../keys/filter/key-filter.ts';
import { linkToList } from '../keys/filter/key-query.ts';
import { signOut, teamLabel, type Viewer } from '../session/viewer.ts';
import { explorers, pagesOf } from '../shell/navigation.ts';

interface Props {
  readonly viewer: Viewer;
  readonly teamId: string | undefined;
  readonly close: () => void;
  readonly showShortcuts: () => void;
}

export function Palette(props: Props) {
  const { close } = props;
  const [search, setSearch] = useState('');
  // The dialog sets the focus when it opens, which can be before the palette is loaded.
  const field = useFirstFocus<HTMLInputElement>();
  const combobox = useCombobox({ opened: true, onDropdownClose: close });
  const found = useCommands(search.trim(), props);
  const { selectFirstOption } = combobox;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new search selects the first command.
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

interface Command {
  readonly id: string;
  readonly label: string;
  readonly detail?: string | undefined;
  readonly run: () => void;
}

const maxTeams = 20;

function useCommands(search: string, { viewer, teamId, showShortcuts }: Props): Command[] {
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme();
  const other = useComputedColorScheme('light') === 'dark' ? 'light' : 'dark';
  const goTo = (id: string, label: string, place: LinkOptions, detail?: string): Command => {
    return { id, label, detail, run: () => void navigate(place) };
  };
  const words = search.toLowerCase().split(/\s+/);
  const matches = ({ label, detail = '' }: Command) =>
    words.every((word) => `${label} ${detail}`.toLowerCase().includes(word));
  const team = viewer.teams.find(({ id }) => id === teamId);
  const params = teamId === undefined ? null : { teamId };
  const ofTeam =
    team === undefined
      ? []
      : pagesOf(team).map(({ path, label }) => goTo(path, label, { to: path, params: { teamId: team.id } }));
  const create = team?.permissions.includes('manage_keys')
    ? [goTo('new', 'Create a key', { to: '/teams/$teamId/keys/new', params: { teamId: team.id } })]
    : [];
  const teams = viewer.teams
    .filter(({ id }) => id !== teamId)
    .map((team) => goTo(team.id, `Go to the team ${teamLabel(team)}`, linkToList(team.id), team.id))
    .filter(matches)
    .slice(0, maxTeams);
  const others: Command[] = [
    ...explorers.map(({ href, label }) => ({ id: href, label, run: () => location.assign(href) })),
    { id: 'colors', label: `Use ${other} colors`, run: () => setColorScheme(other) },
    { id: 'shortcuts', label: 'List the keyboard shortcuts', detail: '?', run: showShortcuts },
    { id: 'sign-out', label: 'Sign out', run: () => askToLeave(signOut) },
  ];
  const found = [...ofTeam, ...create, ...others].filter(matches);
  return [...found, ...teams, ...searches()];

  function searches(): Command[] {
    if (search === '' || params === null) return [];
    if (isUuid(search)) {
      const keyId = search.toLowerCase();
      return [
        goTo('key', `Open the key ${search}`, { to: '/teams/$teamId/keys/$keyId', params: { ...params, keyId } }),
      ];
    }
    const safe = searchOf(search);
    if (mightBeSecret(safe)) return [goTo('secret', 'Find the key of a secret', { to: '/teams/$teamId/try', params })];
    return [goTo('search', `Search keys for “${safe}”`, linkToList(params.teamId, { search: safe }))];
  }
}
