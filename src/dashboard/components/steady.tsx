import { Skeleton, Stack } from '@mantine/core';
import { notifyManager, type Query, useIsFetching, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import './steady.css';

/** A slow answer must not keep the others from being read. */
const maxWaitMs = 3000;
/** Not the fences, whose banner loads after the page. */
const isFirst = {
  predicate: ({ state, queryKey }: Query) => state.data === undefined && queryKey[0] !== 'fences',
};

/** Shows a part of the page when all that it loads first has arrived, so that nothing on it moves. */
export function Steady({ children }: { readonly children: ReactNode }) {
  const client = useQueryClient();
  const isLoading = useIsFetching(isFirst) > 0;
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    if (isLoading) return;
    // An answer can load more when it is rendered. It is rendered by a notification, so `show` waits behind those.
    const show = () => setShown((before) => before || client.isFetching(isFirst) === 0);
    const frame = requestAnimationFrame(() => notifyManager.schedule(show));
    return () => cancelAnimationFrame(frame);
  }, [isLoading, client]);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), maxWaitMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="steady">
      {!isShown && (
        <Stack className="steady-waiting" role="img" aria-label="Loading">
          <Skeleton h={80} />
          <Skeleton h={260} />
          <Skeleton h={260} />
        </Stack>
      )}
      <div className="steady-content" aria-busy={!isShown} data-shown={isShown}>
        {children}
      </div>
    </div>
  );
}
