/** Preferences in the browser's local storage, without secrets, because every page of this origin can read them. */
import { useMemo, useSyncExternalStore } from 'react';

/**
 * @param initial the value if no readable list is stored; must be the same object at each render
 * @param isItem selects the valid items, because anything can be stored; must be the same function at each render
 */
export function useStoredList<T>(key: string, initial: readonly T[], isItem: (value: unknown) => value is T) {
  const text = useSyncExternalStore(subscribe, () => localStorage.getItem(key));
  const value = useMemo(() => listIn(text)?.filter(isItem) ?? initial, [text, initial, isItem]);
  const change = (value: readonly T[]) => {
    localStorage.setItem(key, JSON.stringify(value));
    // The browser sends the `storage` event only to other tabs.
    dispatchEvent(new StorageEvent('storage', { key }));
  };
  return [value, change] as const;
}

function listIn(text: string | null): unknown[] | undefined {
  try {
    const stored: unknown = JSON.parse(text ?? 'null');
    return Array.isArray(stored) ? stored : undefined;
  } catch {
    return undefined;
  }
}

function subscribe(listener: () => void): () => void {
  addEventListener('storage', listener);
  return () => removeEventListener('storage', listener);
}
