/** The filter, order and page of a list of keys, as in the URL of the page. */
import { useMemo } from 'react';
import { useLocation, useParams, useSearchParams } from 'react-router';
import type { KeyOrder, KeyOrderField } from '../../generated/graphql.ts';
import { type Chosen, type Criterion, criteria, narrowing } from './key-filter.ts';

export const pageSizes = ['25', '50', '100'];
const orderFields: readonly KeyOrderField[] = ['CREATED_AT', 'NAME', 'EXPIRES_AT'];

export const orders = [
  { value: '-CREATED_AT', label: 'Newest first' },
  { value: 'CREATED_AT', label: 'Oldest first' },
  { value: 'NAME', label: 'Name, A to Z' },
  { value: '-NAME', label: 'Name, Z to A' },
  { value: 'EXPIRES_AT', label: 'First to expire' },
  { value: '-EXPIRES_AT', label: 'Last to expire' },
];

export type Changes = Partial<Record<Criterion, string>>;

export interface KeyQuery {
  readonly chosen: Chosen;
  readonly orderBy: KeyOrder;
  readonly pageSize: number;
  /** The number of the page, from 1. */
  readonly page: number;
  readonly cursors: readonly string[];
  /** The number of filters in use, not counting the search. */
  readonly filters: number;
  readonly narrowed: boolean;
  /** Changes parameters and shows the first page, in one navigation. */
  readonly choose: (changes: Changes, options?: { readonly replace?: boolean }) => void;
  readonly clear: () => void;
  readonly nextPage: (cursor: string) => void;
  readonly previousPage: () => void;
}

export function useKeyQuery(): KeyQuery {
  const [parameters, setParameters] = useSearchParams();
  const { search, state } = useLocation();
  const { teamId = '' } = useParams();
  const chosen = chosenIn(parameters);
  // The API can only page forward, so the cursors of previous pages come from the tab's history.
  const cursors = useMemo(() => {
    if (isCursors(state)) return state.cursors;
    // The history entry has no cursors if a link on another page led back to the last list.
    const last = lastList(teamId);
    return last.search === search ? last.cursors : [];
  }, [state, teamId, search]);
  const page = chosen.after === '' ? 1 : Math.max(2, Number.parseInt(chosen.page, 10) || 2);
  const go = (changes: Changes, options: { readonly replace?: boolean; readonly state?: unknown } = {}) => {
    // Synchronous, so that the search box never compares its text with an older URL.
    setParameters(changed(parameters, changes), { ...options, flushSync: true });
  };
  const goToPage = (page: number, cursors: readonly string[]) =>
    go({ after: cursors.at(-1) ?? '', page: page === 1 ? '' : String(page) }, { state: { cursors } });
  return {
    chosen,
    orderBy: orderOf(chosen.sort),
    pageSize: Number(pageSizes.includes(chosen.size) ? chosen.size : '50'),
    page,
    cursors,
    filters: narrowing.filter((criterion) => criterion !== 'search' && chosen[criterion] !== '').length,
    narrowed: narrowing.some((criterion) => chosen[criterion] !== ''),
    choose: (changes, options) => go({ after: '', page: '', at: '', ...changes }, options),
    clear: () => go({ after: '', page: '', at: '', ...Object.fromEntries(narrowing.map((name) => [name, ''])) }),
    nextPage: (cursor) => goToPage(page + 1, [...cursors, cursor]),
    // A link to a later page has no cursors of previous pages, so the first page is shown instead.
    previousPage: () => (cursors.length === page - 1 ? goToPage(page - 1, cursors.slice(0, -1)) : goToPage(1, [])),
  };
}

function chosenIn(parameters: URLSearchParams): Chosen {
  return Object.fromEntries(criteria.map((criterion) => [criterion, parameters.get(criterion) ?? ''])) as Chosen;
}

function changed(parameters: URLSearchParams, changes: Changes): URLSearchParams {
  const result = new URLSearchParams(parameters);
  for (const criterion of criteria) {
    const value = changes[criterion];
    if (value === undefined) continue;
    if (value === '') result.delete(criterion);
    else result.set(criterion, value);
  }
  return result;
}

function isCursors(state: unknown): state is { readonly cursors: readonly string[] } {
  return typeof state === 'object' && state !== null && 'cursors' in state && Array.isArray(state.cursors);
}

function orderOf(sort: string): KeyOrder {
  const [, descending, name] = /^(-?)(\w+)$/.exec(sort) ?? [];
  const field = orderFields.find((field) => field === name) ?? 'CREATED_AT';
  return { field, direction: name === undefined || descending === '-' ? 'DESC' : 'ASC' };
}

/** The last list of keys of a team that this tab showed. Other pages link back to this list. */
interface List {
  /** The filter, order and page, as in the URL of the list. */
  readonly search: string;
  /** The known cursors of the previous pages. */
  readonly cursors: readonly string[];
}

const storageKey = (teamId: string) => `latchkey-last-list:${teamId}`;

export function rememberList(teamId: string, list: List): void {
  sessionStorage.setItem(storageKey(teamId), JSON.stringify(list));
}

function lastList(teamId: string): List {
  const stored = sessionStorage.getItem(storageKey(teamId));
  return stored === null ? { search: '', cursors: [] } : JSON.parse(stored);
}

export function useListLink(teamId: string): string {
  return `/teams/${teamId}/keys${lastList(teamId).search}`;
}
