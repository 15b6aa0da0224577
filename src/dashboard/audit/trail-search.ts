/** The filter of the audit page, as in its URL. */
import { isUuid } from '../../lib/uuid.ts';
import type { AuditAction, TeamTrailQueryVariables } from '../generated/graphql.ts';
import { actionNames } from '../key/history/action-names.ts';
import { texts } from '../shell/search.ts';

export const criteria = ['action', 'actor', 'key', 'from', 'to'] as const;
export type Criterion = (typeof criteria)[number];
export type TrailSearch = { readonly [criterion in Exclude<Criterion, 'action'>]?: string } & {
  readonly action?: AuditAction;
};
export type TrailFilter = Pick<TeamTrailQueryVariables, 'keyId' | 'action' | 'actor' | 'from' | 'to'>;

export const actions = Object.keys(actionNames) as AuditAction[];

/** Validates the parameters. Unknown actions and times that are none are removed. */
export function trailSearch(search: Partial<Record<Criterion, unknown>>): TrailSearch {
  const { action, from, to, ...rest } = texts(criteria)(search);
  const known = actions.find((name) => name === action);
  return {
    ...rest,
    ...(known === undefined ? {} : { action: known }),
    ...(from === undefined || instantOf(from) === null ? {} : { from }),
    ...(to === undefined || instantOf(to) === null ? {} : { to }),
  };
}

/** Returns what is wrong with the id of a key; null if nothing is. */
export function keyProblem(key: string): string | null {
  return key === '' || isUuid(key.trim()) ? null : 'The id of a key has 36 characters.';
}

/** Returns the filter for the server, without an invalid id. */
export function filterOf({ action, actor, key = '', from, to }: TrailSearch): TrailFilter {
  return {
    action: action === undefined ? null : [action],
    actor: actor ?? null,
    keyId: key === '' || keyProblem(key) !== null ? null : key.trim(),
    from: instantOf(from),
    to: instantOf(to),
  };
}

/** Parses a time as inputs write it, in the user's time zone. Returns null if it is none. */
export function instantOf(local = ''): string | null {
  const at = new Date(/^\d{4,6}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(local) ? local : '');
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}
