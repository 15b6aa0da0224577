/** The audit trail of a team or a key: a table, grouped by day, whose rows can be expanded. */
import { Loader, Stack, Table, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { execute } from '../../api/execute.ts';
import type { TrailFilter, TrailSearch } from '../../audit/trail-search.ts';
import { formatDay } from '../../components/format.ts';
import { OlderPages } from '../../components/older-pages.tsx';
import { TeamTrailDocument } from '../../generated/graphql.ts';
import { EntryRows } from './entry-rows.tsx';
import './trail.css';

const pageSize = 50;

interface Props {
  readonly teamId: string;
  readonly filter: TrailFilter;
  /** The filter in the URL of the audit page, which stays when the user chooses an actor. Absent: one key's history. */
  readonly search?: TrailSearch;
}

export function Trail({ teamId, filter, search }: Props) {
  const queryKey = ['trail', teamId, filter, search !== undefined];
  const trail = useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam: after, signal }) =>
      (await execute(TeamTrailDocument, { teamId, ...filter, first: pageSize, after }, signal)).auditLog,
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null),
    // Keeps the entries of the last filter until others have loaded, but never those of another team or key.
    placeholderData: (last, query) => (search !== undefined && query?.queryKey[1] === teamId ? last : undefined),
    // A refetch would load all pages again, one by one.
    refetchOnWindowFocus: false,
  });
  const entries = trail.data?.pages.flatMap(({ nodes }) => nodes) ?? [];
  return (
    <Stack>
      {trail.isPending && <Loader aria-label="Loading" />}
      {trail.isSuccess && entries.length === 0 && (
        <Text role="status">
          {trail.hasNextPage ? 'No change found yet. The search can go on.' : 'No change matches.'}
        </Text>
      )}
      {entries.length > 0 && (
        <Table
          className="trail"
          fz="sm"
          verticalSpacing={4}
          aria-label="Changes"
          opacity={trail.isPlaceholderData ? 0.6 : 1}
        >
          <Table.Thead visibleFrom="sm">
            <Table.Tr>
              <Table.Th>Action</Table.Th>
              {search !== undefined && <Table.Th className="key">Key</Table.Th>}
              <Table.Th className="summary">Changes</Table.Th>
              <Table.Th>Actor and source</Table.Th>
              <Table.Th>Time</Table.Th>
            </Table.Tr>
          </Table.Thead>
          {entries.map((entry, i) => {
            const day = formatDay(new Date(entry.at));
            const before = entries[i - 1];
            return (
              <Fragment key={entry.id}>
                {(before === undefined || formatDay(new Date(before.at)) !== day) && <DayRow day={day} />}
                <EntryRows entry={entry} teamId={teamId} search={search} />
              </Fragment>
            );
          })}
        </Table>
      )}
      <OlderPages list={trail} label="Show older entries" />
    </Stack>
  );
}

function DayRow({ day }: { readonly day: string }) {
  return (
    <Table.Tbody>
      <Table.Tr>
        <Table.Th scope="rowgroup" pt="md" c="dimmed">
          {day}
        </Table.Th>
      </Table.Tr>
    </Table.Tbody>
  );
}
