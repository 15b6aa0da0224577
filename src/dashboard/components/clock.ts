/** One timer for everything on the page that depends on the current time. */
import { useSyncExternalStore } from 'react';
import { hasPassed } from '../../domain/moment.ts';

const tickMs = 1000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** Returns `derive` of the current time in milliseconds. The component renders again only when the result changes. */
export function useAtNow<T extends string | number | boolean>(derive: (now: number) => T): T {
  return useSyncExternalStore(subscribe, () => derive(Date.now()));
}

/** Returns whether a time has passed; false for null. The component renders again when the time passes. */
export function useIsPast(at: string | null): boolean {
  return useAtNow((now) => at !== null && hasPassed(Date.parse(at), now));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    for (const tick of listeners) tick();
  }, tickMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
