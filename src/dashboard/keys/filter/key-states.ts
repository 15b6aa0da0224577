/** The states of a list of keys, which are its tabs, and the days that some of them are about. */
import { dayMs } from '../../../domain/moment.ts';
import type { KeyFilter, KeyState, StateCountsQuery } from '../../generated/graphql.ts';
import { expiringSoonDays } from '../../key-form/expiry.ts';
import type { Chosen } from './chosen.ts';

type Counts = StateCountsQuery['keysOverview'];

export interface ListState {
  /** In the URL. */
  readonly value: string;
  readonly label: string;
  readonly states: readonly KeyState[];
  /** What a key must meet besides. */
  readonly more?: (chosen: Chosen) => KeyFilter;
  readonly count: (counts: Counts) => number;
}

const notRevoked: readonly KeyState[] = ['ACTIVE', 'EXPIRED', 'DISABLED'];
const unrevokedIn = ({ active, expired, disabled }: Counts) => active + expired + disabled;

const initial: ListState = { value: '', label: 'Not revoked', states: notRevoked, count: unrevokedIn };

export const listStates: readonly ListState[] = [
  initial,
  { value: 'active', label: 'Active', states: ['ACTIVE'], count: ({ active }) => active },
  {
    value: 'expiring',
    label: 'Expiring',
    states: ['ACTIVE'],
    more: expiringSoon,
    count: ({ expiringSoon }) => expiringSoon,
  },
  {
    value: 'leaked',
    label: 'Leaked',
    states: notRevoked,
    more: () => ({ leaked: true }),
    count: ({ leaked }) => leaked,
  },
  { value: 'disabled', label: 'Disabled', states: ['DISABLED'], count: ({ disabled }) => disabled },
  { value: 'expired', label: 'Expired', states: ['EXPIRED'], count: ({ expired }) => expired },
  { value: 'revoked', label: 'Revoked', states: ['REVOKED'], count: ({ revoked }) => revoked },
  {
    value: 'all',
    label: 'All',
    states: [...notRevoked, 'REVOKED'],
    count: (counts) => unrevokedIn(counts) + counts.revoked,
  },
];

export function stateOf({ state }: Chosen): ListState {
  return listStates.find(({ value }) => value === state) ?? initial;
}

export function expiringSoon(chosen: Chosen): KeyFilter {
  return { expiresAfter: inDays(chosen, 0), expiresBefore: inDays(chosen, expiringSoonDays) };
}

/** Links from the overview contain a time, which is ignored if it is more than a day ago or in the future. */
export function inDays(chosen: Chosen, days: number): string {
  const at = Date.parse(chosen.at);
  const ageMs = Date.now() - at;
  const now = ageMs >= 0 && ageMs < dayMs ? at : Date.now();
  return new Date(now + days * dayMs).toISOString();
}
