import { useCallback, useEffect, useState } from 'react';

/**
 * Loads a part of the page on demand. Unlike with React's `lazy`, a failure does not replace the page, which may show a
 * secret. Show `NotLoaded` instead of the part.
 */
export function useLoaded<T>(load: () => Promise<T>, isWanted: boolean) {
  const [loaded, setLoaded] = useState<{ readonly part?: T; readonly failed: boolean }>({ failed: false });
  const start = useCallback(() => {
    load().then(
      (part) => setLoaded({ part, failed: false }),
      () => setLoaded({ failed: true }),
    );
  }, [load]);
  useEffect(() => {
    if (isWanted) start();
  }, [isWanted, start]);
  const retry = () => {
    setLoaded({ failed: false });
    start();
  };
  return { ...loaded, retry };
}
