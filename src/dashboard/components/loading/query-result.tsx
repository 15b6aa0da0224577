import { Loader } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorNotice } from '../error-notice.tsx';

interface Props<T> {
  readonly query: UseQueryResult<T>;
  readonly children: (data: T) => ReactNode;
}

/** Shows what a query has returned; that it is loading, before; and why it failed, also beside older data. */
export function QueryResult<T>({ query: { data, error, refetch, isFetching }, children }: Props<T>) {
  return (
    <>
      {error !== null && <ErrorNotice error={error} retry={refetch} retrying={isFetching} />}
      {data === undefined && error === null && <Loader aria-label="Loading" />}
      {data !== undefined && children(data)}
    </>
  );
}
