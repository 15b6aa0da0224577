/** Preferences in the browser's local storage, without secrets, because every page of this origin can read them. */
import { useLocalStorage } from '@mantine/hooks';

/**
 * @param initial the value if no readable list is stored; must be the same object at each render
 * @param isItem selects the valid items, because anything can be stored
 */
export function useStoredList<T>(key: string, initial: readonly T[], isItem: (value: unknown) => value is T) {
  return useLocalStorage<readonly T[]>({
    key,
    defaultValue: initial,
    getInitialValueInEffect: false,
    deserialize: (text) => listIn(text)?.filter(isItem) ?? initial,
  });
}

function listIn(text: string | undefined): unknown[] | undefined {
  try {
    const stored: unknown = JSON.parse(text ?? 'null');
    return Array.isArray(stored) ? stored : undefined;
  } catch {
    return undefined;
  }
}
