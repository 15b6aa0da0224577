/** Preferences in the browser's local storage. No secrets, because every page of this origin can read it. */
import { useMemo, useSyncExternalStore } from 'react';

/** @param read parses what was stored, which can be anything; the same function at each render */
export function useStored<T>(key: string, read: (stored: unknown) => T): readonly [T, (value: T) => void] {
  const text = useSyncExternalStore(subscribe, () => localStorage.getItem(key));
  const value = useMemo(() => read(parsed(text)), [text, read]);
  const change = (value: T) => {
    localStorage.setItem(key, JSON.stringify(value));
    // The browser sends the event only to other tabs.
    dispatchEvent(new StorageEvent('storage', { key }));
  };
  return [value, change];
}

function parsed(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

function subscribe(listener: () => void): () => void {
  addEventListener('storage', listener);
  return () => removeEventListener('storage', listener);
}
