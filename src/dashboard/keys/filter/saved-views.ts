/** Named filters, orders and columns of a list. The browser remembers them, and a link to one carries all of it. */
import { isJsonObject } from '../../../lib/json-object.ts';
import { parseSearch, stringifySearch } from '../../shell/search.ts';
import type { Chosen } from './key-filter.ts';
import { listSearch } from './key-query.ts';
import { useStoredList } from './stored.ts';

interface SavedView {
  readonly name: string;
  /** The URL parameters of the list. */
  readonly search: string;
}

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
