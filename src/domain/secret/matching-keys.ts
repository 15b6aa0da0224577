/**
 * Several imported keys match one presented key if it was imported both by SHA-256 and by SHA-512, or by several teams.
 * A digest can't prove who owns the key, so the presented key is rejected if keys of several teams match.
 */

interface MatchingKey {
  readonly id: string;
  readonly teamId: string;
  readonly revoked: boolean;
  /** Whether the presented secret is one that the key had before a rotation. */
  readonly rotated: boolean;
  /** The order in which imports were committed. Null for a key made here, which is always the only match. */
  readonly importRevision: number | bigint | null;
}

/** Matching keys of different teams. The presented key is rejected, and is not counted as a use of any key. */
export interface KeyConflict {
  readonly conflictingIds: readonly string[];
  /** The keys whose current secret was presented: only unrevoked ones, unless all are revoked. */
  readonly currentIds: readonly string[];
  /** Whether any of the conflicting keys is revoked. */
  readonly revoked: boolean;
}

/**
 * Returns the key for the verdict: a revoked key, else a key that has rotated the secret, else the key imported first.
 * With this order, no import can make a revoked or rotated secret valid. Returns a conflict for several teams.
 */
export function matchOf<Key extends MatchingKey>(keys: readonly [Key, ...Key[]]): Key | KeyConflict {
  const [one] = keys;
  if (keys.length === 1) return one;
  if (keys.some(({ teamId }) => teamId !== one.teamId)) {
    const current = keys.filter(({ rotated }) => !rotated);
    const notRevoked = current.filter(({ revoked }) => !revoked);
    return {
      conflictingIds: idsOf(keys),
      currentIds: idsOf(notRevoked.length > 0 ? notRevoked : current),
      revoked: keys.some(({ revoked }) => revoked),
    };
  }
  return keys.reduce((chosen, key) => (takesPrecedence(key, chosen) ? key : chosen));
}

function idsOf(keys: readonly MatchingKey[]): readonly string[] {
  return [...new Set(keys.map(({ id }) => id))].sort();
}

export function isConflict(match: object): match is KeyConflict {
  return 'conflictingIds' in match;
}

/** Compares revisions instead of times, because the clocks of instances differ. */
function takesPrecedence(a: MatchingKey, b: MatchingKey): boolean {
  if (a.revoked !== b.revoked) return a.revoked;
  if (a.rotated !== b.rotated) return a.rotated;
  const [first, second] = [a.importRevision ?? 0, b.importRevision ?? 0];
  return first === second ? a.id < b.id : first < second;
}
