import { Button, Code, Group, Loader, Stack, Table, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { execute } from '../api/execute.ts';
import { keyHistory } from '../api/operations.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Moment } from '../components/moment.tsx';
import type { ActorKind, AuditAction, KeyHistoryQuery } from '../generated/graphql.ts';
import type { Key } from './key-change.ts';

type Entry = KeyHistoryQuery['auditLog']['nodes'][number];
type Change = Entry['changes'][number];

const actions: Readonly<Record<AuditAction, string>> = {
  KEY_CREATED: 'Created',
  KEY_UPDATED: 'Changed',
  KEY_IMPORTED: 'Imported',
  KEY_REVOKED: 'Revoked',
  SIGNING_ENABLED: 'Signing enabled',
  SIGNING_ROTATED: 'Signing secret rotated',
  SIGNING_DISABLED: 'Signing disabled',
  KEY_ROTATED: 'Rotated',
  OVERLAP_ENDED: 'Overlap ended',
  KEY_DISABLED: 'Disabled',
  KEY_ENABLED: 'Enabled',
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
            Show older entries
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
              {changes.map((change) => (
                <ChangeShown key={change.field} change={change} />
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

function ChangeShown({ change: { field, before, after, added, removed } }: { readonly change: Change }) {
  const isOtherOrder = added?.length === 0 && removed?.length === 0;
  return (
    <Table.Tr>
      <Table.Td>{field}</Table.Td>
      <Table.Td className="breakable">
        {removed == null ? shown(field, before) : difference('removed', removed)}
      </Table.Td>
      <Table.Td className="breakable">
        {added == null ? shown(field, after) : isOtherOrder ? 'the order changed' : difference('added', added)}
      </Table.Td>
    </Table.Tr>
  );
}

function difference(what: string, entries: readonly string[]) {
  return entries.length === 0 ? '–' : `${what}: ${entries.join(', ')}`;
}

function shown(field: string, value: unknown) {
  if (value === null || value === undefined) return '–';
  if (field.endsWith('At')) return <Moment at={String(value)} />;
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(String).join(', ');
  return String(value);
}
