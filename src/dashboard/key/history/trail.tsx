/** The audit trail of a team or a key: a table, grouped by day, whose rows can be expanded. */
import { Group, Loader, Stack, Table, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import type { Page } from '../../api/read-pages.ts';
import type { TrailSearch } from '../../audit/trail-search.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FocusableButton } from '../../components/form/focusable-button.tsx';
import { formatDay } from '../../components/format.ts';
import { TextLink } from '../../components/links.tsx';
import { type Entry, EntryRows } from './entry-rows.tsx';
import './trail.css';

interface Props<E extends Entry> {
  /** While the second element, a team or a key, stays the same, the last entries stay until others have loaded. */
  readonly queryKey: readonly unknown[];
  readonly read: (after: string | null, signal: AbortSignal) => Promise<Page<E>>;
  readonly empty?: (hasMore: boolean) => string;
  /** Shows the key of an entry. Absent: all entries are about one key. */
  readonly children?: (entry: E) => ReactNode;
  /** The filter of the audit page, which stays when the user chooses an actor. */
  readonly search?: TrailSearch;
}

export function Trail<E extends Entry>({ queryKey, read, empty, children, search = {} }: Props<E>) {
  const trail = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null),
    placeholderData: (last, query) => (query?.queryKey[1] === queryKey[1] ? last : undefined),
    // A refetch would load all pages again, one by one.
    refetchOnWindowFocus: false,
  });
  const entries = trail.data?.pages.flatMap(({ nodes }) => nodes) ?? [];
  const { error, isPlaceholderData, isFetchNextPageError, isFetchingNextPage, hasNextPage, fetchNextPage } = trail;
  return (
    <Stack>
      {error !== null && !isFetchNextPageError && (
        <ErrorNotice error={error} retry={trail.refetch} retrying={trail.isFetching} />
      )}
      {trail.isPending && <Loader aria-label="Loading" />}
      {trail.isSuccess && entries.length === 0 && empty !== undefined && (
        <Text role="status">{empty(hasNextPage)}</Text>
      )}
      {entries.length > 0 && (
        <EntryTable entries={entries} isStale={isPlaceholderData} keyOf={children} search={search} />
      )}
      {isFetchNextPageError && <ErrorNotice error={error} retry={fetchNextPage} retrying={isFetchingNextPage} />}
      {hasNextPage && !isFetchNextPageError && (
        <Group>
          <FocusableButton variant="default" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
            Show older entries
          </FocusableButton>
        </Group>
      )}
    </Stack>
  );
}

interface TableProps<E extends Entry> extends Required<Pick<Props<E>, 'search'>> {
  readonly entries: readonly E[];
  readonly isStale: boolean;
  readonly keyOf: Props<E>['children'];
}

function EntryTable<E extends Entry>({ entries, isStale, keyOf, search }: TableProps<E>) {
  const { teamId = '' } = useParams({ strict: false });
  return (
    <Table className="trail" fz="sm" verticalSpacing={4} aria-label="Changes" opacity={isStale ? 0.6 : 1}>
      <Table.Thead visibleFrom="sm">
        <Table.Tr>
          <Table.Th>Action</Table.Th>
          {keyOf !== undefined && <Table.Th className="key">Key</Table.Th>}
          <Table.Th className="summary" visibleFrom="sm">
            Changes
          </Table.Th>
          <Table.Th visibleFrom="sm">Actor and source</Table.Th>
          <Table.Th>Time</Table.Th>
        </Table.Tr>
      </Table.Thead>
      {entries.map((entry, i) => {
        const day = formatDay(new Date(entry.at));
        const before = entries[i - 1];
        return (
          <Fragment key={entry.id}>
            {(before === undefined || formatDay(new Date(before.at)) !== day) && <DayRow day={day} />}
            <EntryRows
              entry={entry}
              apiKey={keyOf?.(entry)}
              actor={
                <TextLink to="/teams/$teamId/audit" params={{ teamId }} search={{ ...search, actor: entry.actor }}>
                  {entry.actor}
                </TextLink>
              }
            />
          </Fragment>
        );
      })}
    </Table>
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
