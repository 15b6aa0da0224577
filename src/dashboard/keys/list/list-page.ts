/** One page of the keys of a team, as the server answers it. */
import { queryOptions } from '@tanstack/react-query';
import { execute } from '../../api/execute.ts';
import { keyList } from '../../api/operations.ts';
import { filterOf } from '../filter/key-filter.ts';
import type { KeyQuery } from '../filter/key-query.ts';

export function keyPage(teamId: string, { chosen, orderBy, pageSize }: KeyQuery) {
  const after = chosen.after === '' ? null : chosen.after;
  return queryOptions({
    // Not the filter of the API: its times would change at every render.
    queryKey: ['keys', teamId, chosen],
    queryFn: async ({ signal }) => {
      const filter = filterOf(chosen);
      return (await execute(keyList, { teamId, first: pageSize, after, filter, orderBy }, signal)).keys;
    },
  });
}
