/** The commands of the palette that match a text: pages, actions, keys, teams. */
import { Group, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type LinkOptions, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { parseIpAddress } from '../../domain/source/ip-address.ts';
import { askToLeave } from '../components/dialog/leave-guard.tsx';
import { EnvBadge, KeyStateDot } from '../components/state-dot.tsx';
import { linkToList, linkToSearch } from '../keys/filter/key-query.ts';
import { type FoundKey, keySearch } from '../keys/found/find-keys.ts';
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
/** A longer text, such as a line of a log, is not repeated. */
const maxShownCharacters = 60;
/** A request for each typed character would use up the rate limit. */
const typingMs = 200;

/** Returns the commands, and the query for keys, which are added when they are found. */
export function useCommands(search: string, { viewer, teamId, showShortcuts }: Place) {
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme();
  const other = useComputedColorScheme('light') === 'dark' ? 'light' : 'dark';
  const keys = useKeys(search, teamId ?? null);
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
  const address = parseIpAddress(search) === null ? '' : search;
  const addresses = team?.permissions.includes('view_team')
    ? [
        goTo('address', `What ${address || 'an address'} touched`, {
          to: '/teams/$teamId/addresses',
          params,
          search: { address },
        }),
      ]
    : [];
  const actions: Command[] = [
    ...explorers.map(({ href, label }) => ({ id: href, label, run: () => location.assign(href) })),
    { id: 'colors', label: `Use ${other} colors`, run: () => setColorScheme(other) },
    { id: 'shortcuts', label: 'List the keyboard shortcuts', detail: '?', run: showShortcuts },
    { id: 'sign-out', label: 'Sign out', run: () => askToLeave(signOut) },
  ];
  const found = keys.found.map(({ id, teamId: owner, name, prefix, env, state, expiresAt }) => {
    const foreign = owner === teamId ? undefined : viewer.teams.find((team) => team.id === owner);
    return goTo(
      id,
      name,
      { to: '/teams/$teamId/keys/$keyId', params: { teamId: owner, keyId: id } },
      {
        detail: foreign === undefined ? prefix : `${prefix}, found in the team ${teamLabel(foreign)}`,
        aside: (
          <Group gap="xs" wrap="nowrap">
            <EnvBadge env={env} />
            <KeyStateDot state={state} expiresAt={expiresAt} />
          </Group>
        ),
      },
    );
  });
  const teams = viewer.teams
    .filter(({ id }) => id !== teamId)
    .map((team) => goTo(team.id, `Go to the team ${teamLabel(team)}`, linkToList(team.id), { detail: team.id }))
    .filter(matches)
    .slice(0, maxTeams);
  const commands = [
    ...[...ofTeam, ...create, ...addresses, ...actions].filter(matches),
    ...found,
    ...searches(),
    ...teams,
  ];
  return { commands, keys };

  function searches(): Command[] {
    if (search === '' || teamId === undefined) return [];
    const shown = search.length > maxShownCharacters ? 'this text' : `“${search}”`;
    return [goTo('search', `Search keys for ${shown}`, linkToSearch(teamId, search))];
  }
}

/** Finds keys as lists do, by their texts in this team, and by what names a key in all teams of the viewer. */
function useKeys(search: string, teamId: string | null) {
  const [text] = useDebouncedValue(search, typingMs);
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({
    ...keySearch(text, teamId),
    enabled: text !== '' && text === search,
    // Not the keys that were found from another team's page.
    placeholderData: (last, query) => (query?.queryKey[2] === teamId ? last : undefined),
  });
  const isWanted = search !== '';
  const isCurrent = text === search && !isPlaceholderData;
  const contains = ({ name, prefix }: FoundKey) => `${name} ${prefix}`.toLowerCase().includes(search.toLowerCase());
  const found = (data?.keys ?? []).map(({ apiKey }) => apiKey).slice(0, maxKeys);
  return {
    // Until the next keys are found, those of the previous text that contain the text.
    found: isWanted ? found.filter((key) => isCurrent || contains(key)) : [],
    hint: isWanted && isCurrent ? (data?.hint ?? null) : null,
    error: isWanted && isCurrent ? error : null,
    isSearching: isWanted && (!isCurrent || isFetching),
    refetch,
  };
}
