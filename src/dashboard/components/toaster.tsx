import { useEffect, useSyncExternalStore } from 'react';
import { useLoaded } from './loading/loaded.ts';
import { onToasts, waitingToasts } from './toast.ts';

const loadToasts = async () => (await import('./toasts.tsx')).Toasts;

/** Shows toasts. Their code is loaded for the first toast and, if that fails, for the next one. */
export function Toaster() {
  const waiting = useSyncExternalStore(onToasts, waitingToasts);
  const { part: Toasts, failed, retry } = useLoaded(loadToasts, waiting.length > 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new toast is one more try.
  useEffect(() => {
    if (failed) retry();
  }, [waiting]);
  return Toasts !== undefined && <Toasts waiting={waiting} />;
}
