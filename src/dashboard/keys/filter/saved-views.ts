/** Named filters, orders and columns of a list. The browser remembers them, and a link to one carries all of it. */
import { useLocalStorage } from '@mantine/hooks';
import { isJsonObject } from '../../../lib/json-object.ts';
import { parseSearch, stringifySearch } from '../../shell/search.ts';
import type { Chosen } from './chosen.ts';
import { listSearch } from './key-query.ts';

interface SavedView {
  readonly name: string;
  /** The URL parameters of the list. */
  readonly search: string;
}

/** The views that every team has. */
export const builtInViews: readonly SavedView[] = [
  {
    name: 'Live keys that anyone can use from anywhere',
    search: 'state=active&env=live&sources=none&signing=off&columns=lastUsed,expires,calls,creator,scopes',
  },
];

export const maxNameLength = 60;
const none: readonly SavedView[] = [];

const isView = (value: unknown): value is SavedView =>
  isJsonObject(value) && typeof value.name === 'string' && typeof value.search === 'string';

export function useSavedViews(teamId: string) {
  return useStoredList(`latchkey-views:${teamId}`, none, isView);
}

export function searchOfView({ name, search }: SavedView) {
  return { ...listSearch(parseSearch(search)), view: name };
}

/** Returns the URL parameters of a view: all except those for the page and the time. */
export function viewOf(chosen: Chosen): string {
  return stringifySearch(listSearch({ ...chosen, after: '', page: '', at: '' }));
}

/**
 * A preference in the browser's local storage, without secrets, because every page of this origin can read it.
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
