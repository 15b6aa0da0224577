import { useEffect, useState } from 'react';
import type { KeyState } from '../generated/graphql.ts';
import type { Key } from './key-change.ts';

/** The maximum delay of a timer in browsers. */
const maxDelayMs = 2 ** 31 - 1;

/** Returns the state of a key now. It changes by itself when the key expires. */
export function useKeyState({ state, expiresAt }: Pick<Key, 'state' | 'expiresAt'>): KeyState {
  const isOver = useIsPast(state === 'ACTIVE' ? expiresAt : null);
  return isOver ? 'EXPIRED' : state;
}

/** Returns whether a moment has passed, and renders again when it does. Null never passes. */
export function useIsPast(at: string | null): boolean {
  const [, setNow] = useState(0);
  const leftMs = at === null ? Number.POSITIVE_INFINITY : new Date(at).getTime() - Date.now();
  useEffect(() => {
    if (leftMs <= 0 || leftMs === Number.POSITIVE_INFINITY) return;
    const timer = setTimeout(() => setNow(Date.now()), Math.min(leftMs + 1, maxDelayMs));
    return () => clearTimeout(timer);
  });
  return leftMs <= 0;
}
