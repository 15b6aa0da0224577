import { useAtNow } from '../components/clock.ts';

/** Returns whether a time has passed, and renders again when it does. Null never passes. */
export function useIsPast(at: string | null): boolean {
  return useAtNow((now) => at !== null && new Date(at).getTime() <= now);
}
