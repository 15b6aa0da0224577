import { useCallback, useEffect, useState } from 'react';

interface Loaded<T> {
  readonly part?: T;
  readonly failed: boolean;
}

/**
 * Loads a part of the page on demand. Unlike with React's `lazy`, a failure does not replace the page, which may show a
 * secret. Show `NotLoaded` instead of the part.
 */
export function useLoaded<T>(load: () => Promise<T>, isWanted: boolean) {
  const [loaded, setLoaded] = useState<Loaded<T>>({ failed: false });
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt loads again.
  useEffect(() => {
    if (!isWanted) return;
    load().then(
      (part) => setLoaded({ part, failed: false }),
      () => setLoaded({ failed: true }),
    );
  }, [load, isWanted, attempt]);
  const retry = useCallback(() => {
    setLoaded({ failed: false });
    setAttempt((before) => before + 1);
  }, []);
  return { ...loaded, retry };
}
