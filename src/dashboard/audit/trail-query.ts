/** The filter of the audit page, as in its URL. */
import { useSearchParams } from 'react-router';
import { isUuid } from '../../lib/uuid.ts';
import type { AuditAction, TeamTrailQueryVariables } from '../generated/graphql.ts';
import { actionNames } from '../key/history/audit-entry.tsx';

export const criteria = ['action', 'actor', 'key', 'from', 'to'] as const;
export type Criterion = (typeof criteria)[number];
export type Chosen = Readonly<Record<Criterion, string>>;
export type TrailFilter = Pick<TeamTrailQueryVariables, 'keyId' | 'action' | 'actor' | 'from' | 'to'>;

export const actions = Object.keys(actionNames) as AuditAction[];

export function useTrailQuery() {
  const [parameters, setParameters] = useSearchParams();
  const chosen = Object.fromEntries(criteria.map((name) => [name, parameters.get(name) ?? ''])) as Chosen;
  // Rendered at once. If Back came before, the form would keep a filter that the URL no longer has.
  const choose = (next: Chosen) =>
    setParameters(Object.fromEntries(Object.entries(next).filter(([, value]) => value !== '')), { flushSync: true });
  return { chosen, choose };
}

export function problemOf(criterion: Criterion, value: string): string | null {
  if (value === '') return null;
  if (criterion === 'key') return isUuid(value.trim()) ? null : 'The id of a key has 36 characters.';
  if (criterion === 'from' || criterion === 'to') return instantOf(value) === null ? 'This is not a time.' : null;
  return null;
}

/** Returns the filter for the server. A criterion with a problem does not count. */
export function filterOf({ action, actor, key, from, to }: Chosen): TrailFilter {
  const known = actions.find((name) => name === action);
  return {
    action: known === undefined ? null : [known],
    actor: actor === '' ? null : actor,
    keyId: key === '' || problemOf('key', key) !== null ? null : key.trim(),
    from: instantOf(from),
    to: instantOf(to),
  };
}

function instantOf(local: string): string | null {
  const at = new Date(local);
  return local === '' || Number.isNaN(at.getTime()) ? null : at.toISOString();
}
