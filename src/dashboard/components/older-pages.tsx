import { Group } from '@mantine/core';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { ErrorNotice } from './error-notice.tsx';
import { FocusableButton } from './form/focusable-button.tsx';

interface Props {
  readonly list: UseInfiniteQueryResult;
  readonly label: string;
}

/** The end of a list that is loaded page by page: an error, or the button for the next page. */
export function OlderPages({ list, label }: Props) {
  const { error, refetch, isFetching, isFetchNextPageError, isFetchingNextPage, hasNextPage, fetchNextPage } = list;
  return (
    <>
      {error !== null && (
        <ErrorNotice error={error} retry={isFetchNextPageError ? fetchNextPage : refetch} retrying={isFetching} />
      )}
      {hasNextPage && !isFetchNextPageError && (
        <Group>
          <FocusableButton variant="default" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
            {label}
          </FocusableButton>
        </Group>
      )}
    </>
  );
}
