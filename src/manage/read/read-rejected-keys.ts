import type { StoredKey } from '../../domain/key/api-key.ts';
import type { VerdictCount } from '../../domain/verdict/verdict-code.ts';
import { authorizeTeam, type Caller, type Management } from '../management.ts';
import { parsePeriod, type TeamUsageInput } from './read-usage.ts';

/** A key with the number of its rejected verifications. */
export interface RejectedKey {
  readonly apiKey: StoredKey;
  readonly count: number;
  readonly counts: readonly VerdictCount[];
}

/** The number of keys in one answer. */
export const maxRejectedKeys = 20;

/**
 * Returns the keys of a team that were rejected most often, with their verdicts. Needs `view_team`.
 * Throws FORBIDDEN, BAD_USER_INPUT (from, to), UNAVAILABLE.
 */
export async function readRejectedKeys(
  { store }: Management,
  caller: Caller,
  input: TeamUsageInput,
): Promise<RejectedKey[]> {
  authorizeTeam(caller, input.teamId, 'view_team');
  const { from, to } = parsePeriod(input);
  const byKey = new Map<string, VerdictCount[]>();
  for (const { keyId, ...count } of await store.usage.rejected(input.teamId, from, to)) {
    byKey.set(keyId, [...(byKey.get(keyId) ?? []), count]);
  }
  const rejected = [...byKey]
    .map(([keyId, counts]) => ({ keyId, counts, count: counts.reduce((sum, { count }) => sum + count, 0) }))
    .sort((a, b) => b.count - a.count)
    .slice(0, maxRejectedKeys);
  const keys = await store.keys.findInTeam(
    input.teamId,
    rejected.map(({ keyId }) => keyId),
  );
  return rejected.flatMap(({ keyId, ...counted }) => {
    // A key that was purged meanwhile has counts, but no row.
    const apiKey = keys.get(keyId);
    return apiKey === undefined ? [] : [{ apiKey, ...counted }];
  });
}
