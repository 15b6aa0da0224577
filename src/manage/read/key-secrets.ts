import type { StoredKey } from '../../domain/key/api-key.ts';
import { earliestShown, overlapEnd } from '../../domain/secret/rotated-secret.ts';

/** Describes a secret of a key without its value. */
export interface KeySecret {
  readonly current: boolean;
  readonly prefix: string;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
}

/**
 * Returns the current secret of a key and, if the key was rotated, the previous secret.
 * @param ofKey reads the last use of a key that was never rotated
 * @param ofSecrets reads the last use of each secret version of a rotated key
 */
export async function keySecrets(
  key: StoredKey,
  ofKey: () => Promise<Date | null>,
  ofSecrets: () => Promise<ReadonlyMap<number, Date>>,
): Promise<KeySecret[]> {
  const { prefix, secretVersion, previousPrefix } = key;
  const current = { current: true, prefix, expiresAt: null };
  if (previousPrefix === null) return [{ ...current, lastUsedAt: await ofKey() }];
  const uses = await ofSecrets();
  const lastUsedAt = uses.get(earliestShown(secretVersion)) ?? null;
  return [
    { ...current, lastUsedAt: uses.get(secretVersion) ?? null },
    { current: false, prefix: previousPrefix, expiresAt: overlapEnd(key, 'key'), lastUsedAt },
  ];
}
