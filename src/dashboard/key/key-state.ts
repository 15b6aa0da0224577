import { useAtNow } from '../components/clock.ts';
import type { KeyState } from '../generated/graphql.ts';
import type { Key } from './key-change.ts';

/** Returns the state of a key now. It changes by itself when the key expires. */
export function useKeyState({ state, expiresAt }: Pick<Key, 'state' | 'expiresAt'>): KeyState {
  const isOver = useIsPast(expiresAt);
  return state === 'ACTIVE' && isOver ? 'EXPIRED' : state;
}

/** Returns whether a time has passed, and renders again when it does. Null never passes. */
export function useIsPast(at: string | null): boolean {
  return useAtNow((now) => at !== null && new Date(at).getTime() <= now);
}
