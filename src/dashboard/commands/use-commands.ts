import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useNavigate } from 'react-router';
import { isUuid } from '../../lib/uuid.ts';
import { askToLeave } from '../components/dialog/leave-guard.tsx';
import { mightBeSecret, searchOf } from '../keys/filter/key-filter.ts';
import { signOut } from '../session/enter.ts';
import { teamLabel, type Viewer } from '../session/viewer.ts';
import { explorers, pagesOf } from '../shell/navigation.ts';

export interface Command {
  readonly id: string;
  readonly label: string;
  readonly detail?: string;
  readonly run: () => void;
}

interface Options {
  readonly viewer: Viewer;
  readonly teamId: string | undefined;
  readonly search: string;
  readonly showShortcuts: () => void;
}

const maxTeams = 20;

export function useCommands({ viewer, teamId, search, showShortcuts }: Options): Command[] {
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme();
  const other = useComputedColorScheme('light') === 'dark' ? 'light' : 'dark';
  const goTo = (id: string, label: string, path: string, detail?: string): Command => ({
    id,
    label,
    run: () => void navigate(path),
    ...(detail === undefined ? {} : { detail }),
  });
  const words = search.toLowerCase().split(/\s+/);
  const matches = ({ label, detail = '' }: Command) =>
    words.every((word) => `${label} ${detail}`.toLowerCase().includes(word));
  const team = viewer.teams.find(({ id }) => id === teamId);
  const place = teamId === undefined ? null : `/teams/${teamId}`;
  const ofTeam =
    team === undefined ? [] : pagesOf(team).map(({ path, label }) => goTo(path, label, `${place}/${path}`));
  const create = team?.permissions.includes('manage_keys') ? [goTo('new', 'Create a key', `${place}/keys/new`)] : [];
  const teams = viewer.teams
    .filter(({ id }) => id !== teamId)
    .map((team) => goTo(team.id, `Go to the team ${teamLabel(team)}`, `/teams/${team.id}/keys`, team.id))
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
    if (search === '' || place === null) return [];
    if (isUuid(search)) return [goTo('key', `Open the key ${search}`, `${place}/keys/${search.toLowerCase()}`)];
    const safe = searchOf(search);
    if (mightBeSecret(safe)) return [goTo('secret', 'Find the key of a secret', `${place}/try`)];
    return [goTo('search', `Search keys for “${safe}”`, `${place}/keys?${new URLSearchParams({ search: safe })}`)];
  }
}
