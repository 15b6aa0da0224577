/** The commands of the palette that match a text: pages, actions, keys, teams. */
import { Group, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type LinkOptions, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isUuid } from '../../lib/uuid.ts';
import { execute } from '../api/execute.ts';
import { askToLeave } from '../components/dialog/leave-guard.tsx';
import { EnvBadge, KeyStateDot } from '../components/state-dot.tsx';
import { type KeyRowFragment, type KeyState, MatchingKeysDocument } from '../generated/graphql.ts';
import { mightBeSecret, searchOf } from '../keys/filter/key-filter.ts';
import { linkToList } from '../keys/filter/key-query.ts';
import { signOut, teamLabel, type Viewer } from '../session/viewer.ts';
import { explorers, pagesOf } from '../shell/navigation.ts';

export interface Command {
  readonly id: string;
  readonly label: string;
  readonly detail?: string | undefined;
  /** What is shown at the end of the line. */
  readonly aside?: ReactNode;
  readonly run: () => void;
}

export interface Place {
  readonly viewer: Viewer;
  readonly teamId: string | undefined;
  readonly showShortcuts: () => void;
}

const maxTeams = 20;
const maxKeys = 8;
const allStates: KeyState[] = ['ACTIVE', 'EXPIRED', 'DISABLED', 'REVOKED'];
/** A request for each typed character would use up the rate limit. */
const typingMs = 200;

/** Returns the commands, and the query for keys, which are added when they are found. */
export function useCommands(search: string, { viewer, teamId, showShortcuts }: Place) {
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme();
  const other = useComputedColorScheme('light') === 'dark' ? 'light' : 'dark';
  const keys = useKeys(search, teamId);
  const goTo = (
    id: string,
    label: string,
    place: LinkOptions,
    rest: Pick<Command, 'detail' | 'aside'> = {},
  ): Command => {
    return { id, label, ...rest, run: () => void navigate(place) };
  };
  const words = search.toLowerCase().split(/\s+/);
  const matches = ({ label, detail = '' }: Command) =>
    words.every((word) => `${label} ${detail}`.toLowerCase().includes(word));
  const team = viewer.teams.find(({ id }) => id === teamId);
  const params = { teamId: teamId ?? '' };
  const ofTeam =
    team === undefined ? [] : pagesOf(team).map(({ path, label }) => goTo(path, label, { to: path, params }));
  const create = team?.permissions.includes('manage_keys')
    ? [goTo('new', 'Create a key', { to: '/teams/$teamId/keys/new', params })]
    : [];
  const actions: Command[] = [
    ...explorers.map(({ href, label }) => ({ id: href, label, run: () => location.assign(href) })),
    { id: 'colors', label: `Use ${other} colors`, run: () => setColorScheme(other) },
    { id: 'shortcuts', label: 'List the keyboard shortcuts', detail: '?', run: showShortcuts },
    { id: 'sign-out', label: 'Sign out', run: () => askToLeave(signOut) },
  ];
  const found = keys.found.map(({ id, name, prefix, env, state, expiresAt }) =>
    goTo(
      id,
      name,
      { to: '/teams/$teamId/keys/$keyId', params: { ...params, keyId: id } },
      {
        detail: prefix,
        aside: (
          <Group gap="xs" wrap="nowrap">
            <EnvBadge env={env} />
            <KeyStateDot state={state} expiresAt={expiresAt} />
          </Group>
        ),
      },
    ),
  );
  const teams = viewer.teams
    .filter(({ id }) => id !== teamId)
    .map((team) => goTo(team.id, `Go to the team ${teamLabel(team)}`, linkToList(team.id), { detail: team.id }))
    .filter(matches)
    .slice(0, maxTeams);
  const commands = [...[...ofTeam, ...create, ...actions].filter(matches), ...found, ...searches(), ...teams];
  return { commands, keys };

  function searches(): Command[] {
    if (search === '' || teamId === undefined) return [];
    if (isUuid(search)) {
      const keyId = search.toLowerCase();
      return [goTo('key', `Open the key ${search}`, { to: '/teams/$teamId/keys/$keyId', params: { teamId, keyId } })];
    }
    const safe = searchOf(search);
    if (mightBeSecret(safe)) return [goTo('secret', 'Find the key of a secret', { to: '/teams/$teamId/try', params })];
    return [goTo('search', `Search keys for “${safe}”`, linkToList(teamId, { search: safe }))];
  }
}

/** Finds keys by name and prefix. Never sends a text that might contain a secret; of a whole key, only its prefix. */
function useKeys(search: string, teamId: string | undefined) {
  const safe = searchOf(search);
  const [text] = useDebouncedValue(safe, typingMs);
  const isWanted = teamId !== undefined && safe !== '' && !mightBeSecret(safe);
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({
    queryKey: ['found-keys', teamId, text],
    queryFn: async ({ signal }) => {
      const filter = { search: text, state: allStates };
      return (await execute(MatchingKeysDocument, { teamId: teamId ?? '', filter, first: maxKeys }, signal)).keys.nodes;
    },
    enabled: isWanted && text === safe,
    // Not the keys of another team, whose links would be those of this team.
    placeholderData: (last, query) => (query?.queryKey[1] === teamId ? last : undefined),
  });
  const isCurrent = text === safe && !isPlaceholderData;
  const contains = ({ name, prefix }: KeyRowFragment) => `${name} ${prefix}`.toLowerCase().includes(safe.toLowerCase());
  return {
    // Until the next keys are found, those of the previous text that contain the text.
    found: isWanted ? (data ?? []).filter((key) => isCurrent || contains(key)) : [],
    error: isCurrent ? error : null,
    isSearching: isWanted && (!isCurrent || isFetching),
    refetch,
  };
}
