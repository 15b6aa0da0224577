import { Loader } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorNotice } from './error-notice.tsx';

interface Props<T> {
  readonly query: UseQueryResult<T>;
  readonly children: (data: T) => ReactNode;
}

/** Shows the data of a query, or that it is loading. Shows an error too, above data that was loaded before. */
export function QueryView<T>({ query: { data, error, refetch, isFetching }, children }: Props<T>) {
  return (
    <>
      {error !== null && <ErrorNotice error={error} retry={refetch} retrying={isFetching} />}
      {data === undefined && error === null && <Loader aria-label="Loading" />}
      {data !== undefined && children(data)}
    </>
  );
}
