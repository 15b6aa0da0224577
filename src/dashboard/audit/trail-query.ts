/** The filter of the audit page, as in its URL. */
import { isUuid } from '../../lib/uuid.ts';
import type { AuditAction, TeamTrailQueryVariables } from '../generated/graphql.ts';
import { actionNames } from '../key/history/action-names.ts';

export const criteria = ['action', 'actor', 'key', 'from', 'to'] as const;
export type Criterion = (typeof criteria)[number];
export type Chosen = { readonly [criterion in Criterion]?: string };
export type TrailFilter = Pick<TeamTrailQueryVariables, 'keyId' | 'action' | 'actor' | 'from' | 'to'>;

export const actions = Object.keys(actionNames) as AuditAction[];

export function problemOf(criterion: Criterion, value: string): string | null {
  if (value === '') return null;
  if (criterion === 'key') return isUuid(value.trim()) ? null : 'The id of a key has 36 characters.';
  if (criterion === 'from' || criterion === 'to') return instantOf(value) === null ? 'This is not a time.' : null;
  return null;
}

/** Returns the filter for the server, without invalid criteria. */
export function filterOf({ action, actor, key = '', from, to }: Chosen): TrailFilter {
  const known = actions.find((name) => name === action);
  return {
    action: known === undefined ? null : [known],
    actor: actor ?? null,
    keyId: key === '' || problemOf('key', key) !== null ? null : key.trim(),
    from: instantOf(from),
    to: instantOf(to),
  };
}

function instantOf(local = ''): string | null {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}
