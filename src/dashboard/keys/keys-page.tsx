import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useParams } from 'react-router';
import { execute } from '../api/execute.ts';
import { keyList } from '../api/operations.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { useMay } from '../session/viewer.ts';
import { KeyFilters } from './key-filters.tsx';
import { type KeyQuery, useKeyQuery } from './key-query.ts';
import { KeyTable } from './key-table.tsx';

/** Shows the keys of a team, page by page. */
export function KeysPage() {
  const { teamId = '' } = useParams();
  const query = useKeyQuery();
  const mayView = useMay('view_team', teamId);
  const mayManage = useMay('manage_keys', teamId);
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={1} size="h2">
          Keys
        </Title>
        {mayManage && (
          <Button component={Link} to={`/teams/${teamId}/keys/new`}>
            Create a key
          </Button>
        )}
      </Group>
      {mayView ? (
        <>
          <KeyFilters query={query} />
          {/* A new query starts at its first page. */}
          <Pages key={JSON.stringify([teamId, query.chosen])} teamId={teamId} query={query} />
        </>
      ) : (
        <Alert title="Not for this session" role="status">
          Your session token does not grant view_team on this team.
        </Alert>
      )}
    </Stack>
  );
}

function Pages({ teamId, query }: { readonly teamId: string; readonly query: KeyQuery }) {
  const { filter, orderBy, pageSize } = query;
  // The cursors of all pages up to this one, because the API pages only forwards.
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const after = cursors.at(-1) ?? null;
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({
    queryKey: ['keys', teamId, filter, orderBy, pageSize, after],
    queryFn: async ({ signal }) =>
      (await execute(keyList, { teamId, first: pageSize, after, filter, orderBy }, signal)).keys,
    placeholderData: keepPreviousData,
  });
  const first = cursors.length * pageSize;
  const { endCursor, hasNextPage } = data?.pageInfo ?? {};
  return (
    <>
      {error !== null && <ErrorNotice error={error} retry={refetch} retrying={isFetching} />}
      <KeyTable teamId={teamId} keys={data?.nodes} query={query} stale={isPlaceholderData} failed={error !== null} />
      {data !== undefined && data.totalCount > 0 && (
        <Group justify="space-between">
          <Text size="sm" c="dimmed" role="status">
            {(first + 1).toLocaleString()} to {(first + data.nodes.length).toLocaleString()} of{' '}
            {data.totalCount.toLocaleString()}
          </Text>
          <Group gap="xs">
            <Button
              variant="default"
              size="xs"
              disabled={cursors.length === 0}
              onClick={() => setCursors(cursors.slice(0, -1))}
            >
              Previous page
            </Button>
            <Button
              variant="default"
              size="xs"
              disabled={hasNextPage !== true || isPlaceholderData}
              onClick={() => endCursor != null && setCursors([...cursors, endCursor])}
            >
              Next page
            </Button>
          </Group>
        </Group>
      )}
    </>
  );
}
