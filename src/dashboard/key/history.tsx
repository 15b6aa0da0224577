import { Button, Group, Loader, Stack } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { execute } from '../api/execute.ts';
import { keyHistory } from '../api/operations.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { AuditEntryShown } from './audit-entry.tsx';
import type { Key } from './key-change.ts';

/** The audit trail of a key, newest first. */
export function History({ apiKey: { id: keyId, teamId } }: { readonly apiKey: Key }) {
  const trail = useInfiniteQuery({
    queryKey: ['history', keyId],
    queryFn: async ({ pageParam, signal }) =>
      (await execute(keyHistory, { teamId, keyId, after: pageParam }, signal)).auditLog,
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null),
  });
  const entries = trail.data?.pages.flatMap(({ nodes }) => nodes);
  return (
    <Stack>
      {trail.error !== null && <ErrorNotice error={trail.error} retry={trail.refetch} retrying={trail.isFetching} />}
      {trail.isPending && <Loader aria-label="Loading" />}
      {entries?.map((entry) => (
        <AuditEntryShown key={entry.id} entry={entry} />
      ))}
      {trail.hasNextPage && (
        <Group>
          <Button variant="default" loading={trail.isFetchingNextPage} onClick={() => trail.fetchNextPage()}>
            Show older entries
          </Button>
        </Group>
      )}
    </Stack>
  );
}
