import { Group, Loader, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Page } from '../../api/read-pages.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FocusableButton } from '../../components/form/focusable-button.tsx';
import { AuditEntryShown, type Entry } from './audit-entry.tsx';

interface Props<E extends Entry> {
  readonly queryKey: readonly unknown[];
  readonly read: (after: string | null, signal: AbortSignal) => Promise<Page<E>>;
  readonly empty?: (hasMore: boolean) => string;
  readonly children?: (entry: E) => ReactNode;
}

export function Trail<E extends Entry>({ queryKey, read, empty, children }: Props<E>) {
  const trail = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null),
    // A refetch would load all pages again, one by one.
    refetchOnWindowFocus: false,
  });
  const entries = trail.data?.pages.flatMap(({ nodes }) => nodes) ?? [];
  const { error, isFetchNextPageError, isFetchingNextPage, hasNextPage, fetchNextPage } = trail;
  return (
    <Stack>
      {error !== null && !isFetchNextPageError && (
        <ErrorNotice error={error} retry={trail.refetch} retrying={trail.isFetching} />
      )}
      {trail.isPending && <Loader aria-label="Loading" />}
      {trail.isSuccess && entries.length === 0 && empty !== undefined && (
        <Text role="status">{empty(hasNextPage)}</Text>
      )}
      {entries.map((entry) => (
        <AuditEntryShown key={entry.id} entry={entry}>
          {children?.(entry)}
        </AuditEntryShown>
      ))}
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
