import { Anchor, Code, Paper, Skeleton, Table, Text, UnstyledButton } from '@mantine/core';
import { memo, useDeferredValue } from 'react';
import { Link } from 'react-router';
import { ArrowDown, ArrowUp, ChevronsUpDown } from '../components/icons.tsx';
import { EnvBadge, ExpiryText, StateBadge } from '../components/key-facts.tsx';
import { Moment } from '../components/moment.tsx';
import type { KeyListQuery, KeyOrderField } from '../generated/graphql.ts';
import type { KeyQuery } from './key-query.ts';

type Key = KeyListQuery['keys']['nodes'][number];

interface Props {
  readonly teamId: string;
  /** Undefined while they are loading. */
  readonly keys: readonly Key[] | undefined;
  readonly query: KeyQuery;
  /** Whether the keys are those of the previous query, while the current one is loading. */
  readonly stale: boolean;
  readonly failed: boolean;
}

export function KeyTable({ teamId, keys, query, stale, failed }: Props) {
  // Renders a hundred rows in slices, so that the page responds to the keyboard in between.
  const rows = useDeferredValue(keys);
  if (keys === undefined && failed) return null;
  if (keys?.length === 0) return <Nothing narrowed={Object.values(query.chosen).some((value) => value !== '')} />;
  return (
    <Table.ScrollContainer minWidth={320} scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': 'Keys' } }}>
      <Table highlightOnHover verticalSpacing="xs" aria-busy={stale || keys === undefined} opacity={stale ? 0.6 : 1}>
        <Table.Thead>
          <Table.Tr>
            <Sortable field="NAME" label="Name" query={query} />
            <Table.Th visibleFrom="sm">Environment</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Last used</Table.Th>
            <Sortable field="CREATED_AT" label="Created" query={query} visibleFrom="md" />
            <Sortable field="EXPIRES_AT" label="Expires" query={query} visibleFrom="xs" />
            <Table.Th visibleFrom="md">Signing</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          <Rows teamId={teamId} keys={rows} />
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

interface RowsProps {
  readonly teamId: string;
  readonly keys: readonly Key[] | undefined;
}

const Rows = memo(function Rows({ teamId, keys }: RowsProps) {
  if (keys === undefined) return <Waiting />;
  return keys.map((key) => <Row key={key.id} teamId={teamId} apiKey={key} />);
});

const Row = memo(function Row({ teamId, apiKey }: { readonly teamId: string; readonly apiKey: Key }) {
  const { id, name, prefix, env, state, lastUsedAt, createdAt, expiresAt, signingEnabled } = apiKey;
  return (
    <Table.Tr>
      <Table.Td className="breakable">
        <Anchor component={Link} to={`/teams/${teamId}/keys/${id}`} size="sm" fw={500}>
          {name}
        </Anchor>
        <br />
        <Code className="nowrap">{prefix}</Code>
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <EnvBadge env={env} />
      </Table.Td>
      <Table.Td>
        <StateBadge state={state} />
      </Table.Td>
      <Table.Td>
        {lastUsedAt == null ? (
          <Text size="sm" c="dimmed">
            never
          </Text>
        ) : (
          <Moment at={lastUsedAt} />
        )}
      </Table.Td>
      <Table.Td visibleFrom="md">
        <Moment at={createdAt} />
      </Table.Td>
      <Table.Td visibleFrom="xs">
        <ExpiryText expiresAt={expiresAt ?? null} />
      </Table.Td>
      <Table.Td visibleFrom="md">{signingEnabled ? 'on' : 'off'}</Table.Td>
    </Table.Tr>
  );
});

interface SortableProps {
  readonly field: KeyOrderField;
  readonly label: string;
  readonly query: KeyQuery;
  readonly visibleFrom?: 'xs' | 'sm' | 'md';
}

function Sortable({ field, label, query: { orderBy, choose }, visibleFrom }: SortableProps) {
  const sorted = orderBy.field === field ? orderBy.direction : null;
  const Icon = sorted === null ? ChevronsUpDown : sorted === 'ASC' ? ArrowUp : ArrowDown;
  return (
    <Table.Th
      {...(visibleFrom === undefined ? {} : { visibleFrom })}
      aria-sort={sorted === null ? 'none' : sorted === 'ASC' ? 'ascending' : 'descending'}
    >
      <UnstyledButton
        fz="inherit"
        fw="inherit"
        className="nowrap"
        onClick={() => choose('sort', sorted === 'ASC' ? `-${field}` : field)}
      >
        {label} <Icon size={14} />
      </UnstyledButton>
    </Table.Th>
  );
}

function Waiting() {
  return [0, 1, 2, 3, 4, 5].map((row) => (
    <Table.Tr key={row}>
      <Table.Td colSpan={7}>
        <Skeleton h={34} />
      </Table.Td>
    </Table.Tr>
  ));
}

function Nothing({ narrowed }: { readonly narrowed: boolean }) {
  return (
    <Paper withBorder p="xl" ta="center" role="status">
      <Text>{narrowed ? 'No key matches these filters.' : 'This team has no keys yet.'}</Text>
    </Paper>
  );
}
