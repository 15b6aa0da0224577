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
    // A new token may have other teams; until they are known, the page stays as it is.
    placeholderData: (previous: Viewer | undefined) => previous,
    enabled: token !== null,
  });
}

/** One that the session may look into, if there is one. */
export function firstTeam({ teams }: Viewer) {
  return teams.find(({ permissions }) => permissions.includes('view_team')) ?? teams[0];
}

/** Whether to offer what needs the permission. The server decides. */
export function useMay(permission: Permission, teamId: string | undefined): boolean {
  const { data } = useViewer();
  return data?.teams.find(({ id }) => id === teamId)?.permissions.includes(permission) ?? false;
}
