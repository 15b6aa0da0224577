import { useCallback, useEffect, useState } from 'react';

/**
 * Loads a part of the page on demand. After a failure, show `NotLoaded` instead of the part. React's `lazy` would
 * replace the whole page after a failure, although the page may show a secret.
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
