/**
 * One presented key matches two imported keys if it was imported by its SHA-256 and by its SHA-512. The earliest import
 * alone decides, so that no later one can stop or restore a key. Imported keys are never deleted, which keeps it so.
 */
interface MatchingKey {
  readonly id: string;
  /** The order in which imports were committed, whatever the clocks say. Null for a key made here, the only match. */
  readonly importRevision: number | bigint | null;
}

export function firstImport<Key extends MatchingKey>(keys: readonly [Key, ...Key[]]): Key {
  return keys.reduce((first, key) => (isEarlier(key, first) ? key : first));
}

function isEarlier(a: MatchingKey, b: MatchingKey): boolean {
  const [revision, other] = [a.importRevision ?? 0, b.importRevision ?? 0];
  return revision === other ? a.id < b.id : revision < other;
}
