import { useQuery } from '@tanstack/react-query';
import { execute } from '../api/execute.ts';
import { viewer } from '../api/operations.ts';
import type { Permission, ViewerQuery } from '../generated/graphql.ts';
import { useSession } from './session.ts';

export type Viewer = ViewerQuery['viewer'];

export function useViewer() {
  const { token } = useSession();
  return useQuery({
    queryKey: ['viewer', token],
    queryFn: async () => (await execute(viewer, {})).viewer,
    // Keeps the previous data until the teams of a new token are loaded.
    placeholderData: (previous: Viewer | undefined) => previous,
    enabled: token !== null,
  });
}

/** Returns the first team that the session can view, if any. */
export function firstTeam({ teams }: Viewer) {
  return teams.find(({ permissions }) => permissions.includes('view_team')) ?? teams[0];
}

/** Returns whether to show controls that need the permission. The server enforces it. */
export function useMay(permission: Permission, teamId: string | undefined): boolean {
  const { data } = useViewer();
  return data?.teams.find(({ id }) => id === teamId)?.permissions.includes(permission) ?? false;
}
