import { Button, Code, Group, Loader, Stack, Table, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { execute } from '../api/execute.ts';
import { keyHistory } from '../api/operations.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Moment } from '../components/moment.tsx';
import type { ActorKind, AuditAction, KeyHistoryQuery } from '../generated/graphql.ts';
import type { Key } from './key-change.ts';

type Entry = KeyHistoryQuery['auditLog']['nodes'][number];

const actions: Readonly<Record<AuditAction, string>> = {
  KEY_CREATED: 'Created',
  KEY_UPDATED: 'Changed',
  KEY_IMPORTED: 'Imported',
  KEY_REVOKED: 'Revoked',
  SIGNING_ENABLED: 'Signing enabled',
  SIGNING_ROTATED: 'Signing secret rotated',
  SIGNING_DISABLED: 'Signing disabled',
};

const actorKinds: Readonly<Record<ActorKind, string>> = {
  SESSION: 'session',
  KEY_HOLDER: 'key holder',
  OPERATOR: 'operator',
};

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
        <EntryShown key={entry.id} entry={entry} />
      ))}
      {trail.hasNextPage && (
        <Group>
          <Button variant="default" loading={trail.isFetchingNextPage} onClick={() => trail.fetchNextPage()}>
            Show older ones
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function EntryShown({
  entry: { action, actor, actorKind, source, requestId, at, changes },
}: {
  readonly entry: Entry;
}) {
  return (
    <Stack gap={4} component="section" aria-label={actions[action]}>
      <Text>
        <strong>{actions[action]}</strong> <Moment at={at} /> by {actorKind != null && `${actorKinds[actorKind]} `}
        <span className="breakable">{actor}</span>
        {source != null && ` from ${source}`}
      </Text>
      {changes.length > 0 && (
        <Table.ScrollContainer minWidth={300} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
          <Table withTableBorder verticalSpacing={4} fz="sm">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Field</Table.Th>
                <Table.Th>Before</Table.Th>
                <Table.Th>After</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {changes.map(({ field, before, after }) => (
                <Table.Tr key={field}>
                  <Table.Td>{field}</Table.Td>
                  <Table.Td className="breakable">{shown(field, before)}</Table.Td>
                  <Table.Td className="breakable">{shown(field, after)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      <Text size="xs" c="dimmed">
        request <Code className="breakable">{requestId}</Code>
      </Text>
    </Stack>
  );
}

function shown(field: string, value: unknown) {
  if (value === null || value === undefined) return '–';
  if (field.endsWith('At')) return <Moment at={String(value)} />;
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(String).join(', ');
  return String(value);
}
