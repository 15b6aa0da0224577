import { useEffect, useState } from 'react';

/**
 * Loads a part of the page on demand. Unlike with React's `lazy`, a failure does not replace the page, which may show a
 * secret.
 */
export function useLoaded<T>(
  load: () => Promise<T>,
  isWanted: boolean,
): { readonly part?: T; readonly error?: unknown } {
  const [loaded, setLoaded] = useState<{ readonly part?: T; readonly error?: unknown }>({});
  useEffect(() => {
    if (!isWanted) return;
    load().then(
      (part) => setLoaded({ part }),
      (error: unknown) => setLoaded({ error }),
    );
  }, [load, isWanted]);
  return loaded;
}
