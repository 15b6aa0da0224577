/** Named filters and orders of a list. The browser stores them, and their links can be shared. */
import { isJsonObject } from '../../../lib/json-object.ts';
import { parseSearch } from '../../shell/search.ts';
import { type Chosen, narrowing } from './key-filter.ts';
import { listSearch } from './key-query.ts';
import { useStoredList } from './stored.ts';

interface SavedView {
  readonly name: string;
  readonly search: string;
}

const none: readonly SavedView[] = [];

const isView = (value: unknown): value is SavedView =>
  isJsonObject(value) && typeof value.name === 'string' && typeof value.search === 'string';

export function useSavedViews(teamId: string) {
  return useStoredList(`latchkey-views:${teamId}`, none, isView);
}

export function searchOfView({ search }: SavedView) {
  return listSearch(parseSearch(search));
}

/** Returns the URL parameters of a saved view: all except those for the page and the time. */
export function viewOf(chosen: Chosen): string {
  const parameters = new URLSearchParams();
  for (const criterion of [...narrowing, 'sort', 'size'] as const) {
    if (chosen[criterion] !== '') parameters.set(criterion, chosen[criterion]);
  }
  return parameters.toString();
}
