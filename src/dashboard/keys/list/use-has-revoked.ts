import { useQuery } from '@tanstack/react-query';
import { execute } from '../../api/execute.ts';
import { keyList } from '../../api/operations.ts';

export const allRevoked = 'All keys of this team are revoked.';

/** Reads whether a team that seems to have no keys has revoked ones. */
export function useHasRevoked(teamId: string, isWanted = true) {
  return useQuery({
    queryKey: ['keys', teamId, 'revoked'],
    queryFn: async ({ signal }) => {
      const filter = { state: ['REVOKED' as const] };
      return (await execute(keyList, { teamId, first: 1, filter }, signal)).keys.totalCount > 0;
    },
    enabled: isWanted,
  });
}
