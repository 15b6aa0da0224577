/**
 * One presented key matches two imported keys if it was imported by its SHA-256 and by its SHA-512. The earliest import
 * alone decides, so that no later one can stop or restore a key. Imported keys are never deleted, which keeps it so.
 *
 * Versions before 0.2 rejected a key that several teams had imported, and no upgrade may accept what was rejected. The
 * migration finds only some of these keys: digests of two algorithms, or under two peppers, can't be compared without the
 * key. So it gives all earlier imports negative revisions. If some of several teams match, the key stays rejected.
 */
interface MatchingKey {
  readonly id: string;
  readonly teamId: string;
  readonly revoked: boolean;
  /** The order in which imports were committed, whatever the clocks say. Null for a key made here, the only match. */
  readonly importRevision: number | bigint | null;
}

/** Returns the key that decides. Undefined: the presented key is rejected like one that was never imported. */
export function firstImport<Key extends MatchingKey>(keys: readonly [Key, ...Key[]]): Key | undefined {
  const first = keys.reduce((earliest, key) => (isEarlier(key, earliest) ? key : earliest));
  const wasRejected = keys.some(({ teamId, importRevision }) => teamId !== first.teamId && Number(importRevision) < 0);
  return wasRejected ? keys.find(({ revoked }) => revoked) : first;
}

function isEarlier(a: MatchingKey, b: MatchingKey): boolean {
  const [revision, other] = [a.importRevision ?? 0, b.importRevision ?? 0];
  return revision === other ? a.id < b.id : revision < other;
}
