/** The fences of a team, which freeze its keys. */
import { queryOptions } from '@tanstack/react-query';
import { execute } from '../api/execute.ts';
import { queryClient } from '../api/query-client.ts';
import { formatTime } from '../components/format.ts';
import { FencesDocument, type FencesQuery } from '../generated/graphql.ts';

export type Fence = FencesQuery['fences'][number];

/** Another session can put one up. */
const refetchMs = 30_000;

export const fencesOf = (teamId: string) =>
  queryOptions({
    queryKey: ['fences', teamId],
    queryFn: async ({ signal }) => (await execute(FencesDocument, { teamId }, signal)).fences,
    refetchInterval: refetchMs,
  });

export async function reloadFences(): Promise<void> {
  const changed: readonly unknown[] = ['fences', 'trail'];
  await queryClient.invalidateQueries({ predicate: ({ queryKey: [kind] }) => changed.includes(kind) });
}

/** Says which keys a fence freezes. */
export function scopeInWords({ env, tags, externalId, responsible, createdBefore }: Fence): string {
  const conditions = [
    ...(env == null ? [] : [`for ${env}`]),
    ...(tags.length === 0 ? [] : [`tagged ${tags.join(' and ')}`]),
    ...(externalId == null ? [] : [`with the external ID ${externalId}`]),
    ...(responsible == null ? [] : [`of ${responsible}`]),
    ...(createdBefore == null ? [] : [`created before ${formatTime(new Date(createdBefore))}`]),
  ];
  return conditions.length === 0 ? 'All keys' : `Keys ${conditions.join(', ')}`;
}
