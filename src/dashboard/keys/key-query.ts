/** The filter and order of a list of keys, as in the URL of the page. */
import { useSearchParams } from 'react-router';
import type { KeyFilter, KeyOrder, KeyOrderField, KeyState } from '../generated/graphql.ts';

const dayMs = 86_400_000;
export const expiringSoonDays = 14;
export const longUnusedDays = 90;

export const stateChoices: readonly { readonly value: string; readonly label: string; readonly states: KeyState[] }[] =
  [
    { value: '', label: 'Not revoked', states: ['ACTIVE', 'EXPIRED', 'DISABLED'] },
    { value: 'active', label: 'Active', states: ['ACTIVE'] },
    { value: 'expired', label: 'Expired', states: ['EXPIRED'] },
    { value: 'disabled', label: 'Disabled', states: ['DISABLED'] },
    { value: 'revoked', label: 'Revoked', states: ['REVOKED'] },
    { value: 'all', label: 'Any', states: ['ACTIVE', 'EXPIRED', 'DISABLED', 'REVOKED'] },
  ];
export const envChoices = [
  { value: '', label: 'Any' },
  { value: 'live', label: 'live' },
  { value: 'test', label: 'test' },
];
export const signingChoices = [
  { value: '', label: 'Any' },
  { value: 'on', label: 'On' },
  { value: 'off', label: 'Off' },
];
export const useChoices = [
  { value: '', label: 'Any' },
  { value: 'never', label: 'Never used' },
  { value: 'long', label: `Unused for ${longUnusedDays} days` },
];
export const expiryChoices = [
  { value: '', label: 'Any' },
  { value: 'soon', label: `Within ${expiringSoonDays} days` },
];

export type Criterion = 'search' | 'state' | 'env' | 'signing' | 'use' | 'expiry' | 'sort' | 'size';

export interface KeyQuery {
  readonly filter: KeyFilter;
  readonly orderBy: KeyOrder;
  readonly pageSize: number;
  /** The parameters in the URL; an absent one is empty. */
  readonly chosen: Readonly<Record<Criterion, string>>;
  readonly choose: (criterion: Criterion, value: string) => void;
}

export const pageSizes = ['25', '50', '100'];
const orderFields: readonly KeyOrderField[] = ['CREATED_AT', 'NAME', 'EXPIRES_AT'];

export function useKeyQuery(): KeyQuery {
  const [parameters, setParameters] = useSearchParams();
  const read = (criterion: Criterion) => parameters.get(criterion) ?? '';
  const chosen = {
    search: read('search'),
    state: read('state'),
    env: read('env'),
    signing: read('signing'),
    use: read('use'),
    expiry: read('expiry'),
    sort: read('sort'),
    size: read('size'),
  };
  return {
    filter: filterOf(chosen, today()),
    orderBy: orderOf(chosen.sort),
    pageSize: Number(pageSizes.includes(chosen.size) ? chosen.size : '50'),
    chosen,
    choose: (criterion, value) =>
      setParameters(
        (before) => {
          if (value === '') before.delete(criterion);
          else before.set(criterion, value);
          return before;
        },
        { replace: true },
      ),
  };
}

/** Rounds to the day: with the exact time, the filter would change at every render and cause a request each time. */
function today(): number {
  return Math.floor(Date.now() / dayMs) * dayMs;
}

function filterOf(chosen: Readonly<Record<Criterion, string>>, day: number): KeyFilter {
  const filter: KeyFilter = {
    state: stateChoices.find(({ value }) => value === chosen.state)?.states ?? ['ACTIVE', 'EXPIRED', 'DISABLED'],
  };
  if (chosen.search !== '') filter.search = chosen.search;
  if (chosen.env === 'live' || chosen.env === 'test') filter.env = chosen.env;
  if (chosen.signing !== '') filter.signingEnabled = chosen.signing === 'on';
  if (chosen.use === 'never') filter.neverUsed = true;
  if (chosen.use === 'long') filter.unusedSince = new Date(day + dayMs - longUnusedDays * dayMs).toISOString();
  if (chosen.expiry === 'soon') filter.expiresBefore = new Date(day + (expiringSoonDays + 1) * dayMs).toISOString();
  return filter;
}

function orderOf(sort: string): KeyOrder {
  const [, descending, name] = /^(-?)(\w+)$/.exec(sort) ?? [];
  const field = orderFields.find((field) => field === name) ?? 'CREATED_AT';
  return { field, direction: name === undefined || descending === '-' ? 'DESC' : 'ASC' };
}
