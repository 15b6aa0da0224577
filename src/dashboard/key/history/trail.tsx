/** An audit trail, newest first, page by page. */

import { Group, Loader, Stack } from '@mantine/core';
import { type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { FocusableButton } from '../../components/focusable-button.tsx';

interface Page {
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null };
}

interface Source<P> {
  readonly queryKey: readonly unknown[];
  readonly read: (after: string | null, signal: AbortSignal) => Promise<P>;
}

export function useTrail<P extends Page>({ queryKey, read }: Source<P>) {
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null),
    // A refetch would load all pages again, one after the other.
    refetchOnWindowFocus: false,
  });
}

interface Props {
  readonly trail: UseInfiniteQueryResult;
  /** The entries that were loaded. */
  readonly children: ReactNode;
}

export function Trail({ trail, children }: Props) {
  const { error, isFetchNextPageError, isFetchingNextPage, hasNextPage, fetchNextPage } = trail;
  return (
    <Stack>
      {error !== null && !isFetchNextPageError && (
        <ErrorNotice error={error} retry={trail.refetch} retrying={trail.isFetching} />
      )}
      {trail.isPending && <Loader aria-label="Loading" />}
      {children}
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
