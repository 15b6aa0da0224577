/** The filter, order and page of a list of keys, as in the URL of the page. */
import { linkOptions, useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { queryClient } from '../../api/query-client.ts';
import type { KeyOrder, KeyOrderField } from '../../generated/graphql.ts';
import { texts } from '../../shell/search.ts';
import { type Chosen, criteria, type List, lists, nothingChosen } from './chosen.ts';
import { cleared, partsOf } from './key-filter.ts';

export const pageSizes = ['25', '50', '100'];
const orderFields: readonly KeyOrderField[] = ['CREATED_AT', 'NAME', 'EXPIRES_AT', 'LAST_USED_AT', 'CALLS'];

export const orders = [
  { value: '-CREATED_AT', label: 'Newest first' },
  { value: 'CREATED_AT', label: 'Oldest first' },
  { value: 'NAME', label: 'Name, A to Z' },
  { value: '-NAME', label: 'Name, Z to A' },
  { value: 'EXPIRES_AT', label: 'First to expire' },
  { value: '-EXPIRES_AT', label: 'Last to expire' },
  { value: '-LAST_USED_AT', label: 'Last used first' },
  { value: 'LAST_USED_AT', label: 'Unused for longest' },
  { value: '-CALLS', label: 'Most calls in 7 days' },
  { value: 'CALLS', label: 'Fewest calls in 7 days' },
];

/** The URL parameters of a list, without those at their default. */
export type ListSearch = Partial<Chosen>;

export interface KeyQuery {
  readonly search: ListSearch;
  /** The parameters, and the typed search. */
  readonly chosen: Chosen;
  /** Whether the search is not in the URL. */
  readonly isTyped: boolean;
  readonly orderBy: KeyOrder;
  readonly pageSize: number;
  /** The number of the page, from 1. */
  readonly page: number;
  readonly cursors: readonly string[];
  readonly narrowed: boolean;
  /** Changes parameters and shows the first page, in one navigation. */
  readonly choose: (changes: ListSearch, options?: { readonly replace?: boolean }) => void;
  /** Puts a part of the typed search, which is no secret, into the URL in its place. */
  readonly link: (search: string) => void;
  readonly clear: () => void;
  readonly nextPage: (cursor: string) => void;
  readonly previousPage: () => void;
}

/** Returns the valid parameters of a list, without those that choose nothing. */
export function listSearch(search: Partial<Record<keyof Chosen, unknown>>): ListSearch {
  const valuesOf = (list: List) => [...new Set([search[list]].flat().filter(isChosen))];
  const chosen = lists.map((list) => [list, valuesOf(list)] as const).filter(([, values]) => values.length > 0);
  return { ...textsIn(search), ...Object.fromEntries(chosen) };
}

const isChosen = (value: unknown): value is string => typeof value === 'string' && value !== '';
const textsIn = texts(criteria);

/** After a change, the list is at its first page, and is no longer the saved view. */
export const firstPage = { after: '', page: '', at: '', view: '' };
const noCursors: readonly string[] = [];

export function useKeyQuery(): KeyQuery {
  const here = useLocation();
  // While the next page loads, the list stays as it is.
  const [list, setList] = useState(here);
  if (here !== list && here.pathname.endsWith('/keys')) setList(here);
  // The API can only page forward, so the cursors of previous pages come from the tab's history.
  const { cursors = noCursors, searched = '' } = list.state;
  // `useSearch` changes later than the state. A text that moves from the state to the URL would be in neither for a moment,
  // and characters that are typed then would be lost.
  const search = listSearch(list.search);
  const navigate = useNavigate({ from: '/teams/$teamId/keys' });
  const chosen = { ...nothingChosen, ...search, ...(searched !== '' && { search: searched }) };
  const page = chosen.after === '' ? 1 : Math.max(2, Number.parseInt(chosen.page, 10) || 2);
  const go = (changes: ListSearch, { cursors, replace = false }: Options = {}) => {
    const typed = changes.search ?? searched;
    void navigate({
      search: listSearch({ ...search, ...changes, ...(typed !== '' && { search: '' }) }),
      state: { ...(cursors && { cursors }), ...(typed !== '' && { searched: typed }) },
      replace,
    });
  };
  const goToPage = (page: number, cursors: readonly string[]) =>
    go({ after: cursors.at(-1) ?? '', page: page === 1 ? '' : String(page) }, { cursors });
  return {
    search,
    chosen,
    isTyped: searched !== '',
    orderBy: orderOf(chosen.sort),
    pageSize: Number(pageSizes.includes(chosen.size) ? chosen.size : '50'),
    page,
    cursors,
    narrowed: chosen.search !== '' || chosen.state !== '' || partsOf(chosen).length > 0,
    choose: (changes, options) => go({ ...firstPage, ...changes }, options),
    link: (text) =>
      void navigate({ search: listSearch({ ...search, search: text }), state: { cursors }, replace: true }),
    clear: () => go({ ...firstPage, ...cleared, columns: '' }),
    nextPage: (cursor) => goToPage(page + 1, [...cursors, cursor]),
    // A link to a later page has no cursors of previous pages, so the first page is shown instead.
    previousPage: () => (cursors.length === page - 1 ? goToPage(page - 1, cursors.slice(0, -1)) : goToPage(1, [])),
  };
}

interface Options {
  readonly replace?: boolean | undefined;
  readonly cursors?: readonly string[];
}

function orderOf(sort: string): KeyOrder {
  const [, descending, name] = /^(-?)(\w+)$/.exec(sort) ?? [];
  const field = orderFields.find((field) => field === name) ?? 'CREATED_AT';
  return { field, direction: name === undefined || descending === '-' ? 'DESC' : 'ASC' };
}

export function linkToList(
  teamId: string,
  search: ListSearch = {},
  cursors: readonly string[] = noCursors,
  searched = '',
) {
  return linkOptions({
    to: '/teams/$teamId/keys',
    params: { teamId },
    search,
    state: { ...(cursors.length > 0 && { cursors }), ...(searched !== '' && { searched }) },
  });
}

/** Shows the keys that a text finds. Only the list knows which part of it may be in its URL. */
export function linkToSearch(teamId: string, text: string) {
  return linkOptions({ to: '/teams/$teamId/keys', params: { teamId }, state: { searched: text } });
}

export type ListLink = ReturnType<typeof linkToList>;

const lastListKey = (teamId: string) => `latchkey-last-list:${teamId}`;
/** Not in the storage, because a typed search can be a secret. Ending the session clears it. */
const lastSearched = (teamId: string) => ['last-search', teamId];

/** Remembers the list of a team that this tab shows. Other pages link back to it. */
export function rememberList(teamId: string, search: ListSearch, cursors: readonly string[], searched: string): void {
  queryClient.setQueryData(lastSearched(teamId), searched);
  sessionStorage.setItem(lastListKey(teamId), JSON.stringify({ search, cursors }));
}

export function useListLink(teamId: string): ListLink {
  const stored = sessionStorage.getItem(lastListKey(teamId));
  const { search, cursors }: ListRemembered = stored === null ? {} : JSON.parse(stored);
  return linkToList(teamId, search, cursors, queryClient.getQueryData<string>(lastSearched(teamId)));
}

interface ListRemembered {
  readonly search?: ListSearch;
  readonly cursors?: readonly string[];
}
