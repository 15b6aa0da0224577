/**
 * Several imported keys can match one presented key: it was imported by SHA-256 and by SHA-512, or by several teams. A
 * digest can't prove who owns the key, so the presented key is rejected if keys of several teams match.
 */

interface MatchingKey {
  readonly id: string;
  readonly teamId: string;
  readonly revoked: boolean;
  /** Whether the presented key is a secret that the key had before its rotation. */
  readonly rotated: boolean;
  /** The order of imports, in which they were committed; null for a key made here, which is the only one to match. */
  readonly importRevision: number | bigint | null;
}

/** Keys of different teams that match. The presented key is rejected, and counts as a use of none of them. */
export interface KeyConflict {
  readonly conflictingIds: readonly string[];
  /** Keys that use this secret now and are not revoked; if all of them are revoked, all that use it now. */
  readonly currentIds: readonly string[];
  /** Whether one of them is revoked. */
  readonly revoked: boolean;
}

/**
 * Chooses the key that the verdict is about: a revoked one if there is any; otherwise one that has rotated the secret, so
 * that no import makes the secret valid again; otherwise the one that was imported first.
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
