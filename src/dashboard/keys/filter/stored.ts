/** Preferences in the browser's local storage. No secrets, because every page of this origin can read it. */
import { useMemo, useSyncExternalStore } from 'react';

/** @param initial the same object at each render */
export function useStored<T>(key: string, initial: T): readonly [T, (value: T) => void] {
  const text = useSyncExternalStore(subscribe, () => localStorage.getItem(key));
  const value: T = useMemo(() => (text === null ? initial : JSON.parse(text)), [text, initial]);
  const change = (value: T) => {
    localStorage.setItem(key, JSON.stringify(value));
    // The browser sends the event only to other tabs.
    dispatchEvent(new StorageEvent('storage', { key }));
  };
  return [value, change];
}

function subscribe(listener: () => void): () => void {
  addEventListener('storage', listener);
  return () => removeEventListener('storage', listener);
}
