import type { StoredKey } from '../../domain/key/api-key.ts';
import { earliestShown } from '../../domain/secret/rotated-secret.ts';

/** A secret of a key, without the secret itself. */
export interface KeySecret {
  readonly current: boolean;
  readonly prefix: string;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
}

export interface LastUses {
  readonly ofKey: () => Promise<Date | null>;
  /** By version, for a key that was rotated. */
  readonly ofSecrets: () => Promise<ReadonlyMap<number, Date>>;
}

/** Returns the current secret of a key and, if it was rotated, the one before. */
export async function keySecrets(key: StoredKey, lastUses: LastUses): Promise<KeySecret[]> {
  const { prefix, secretVersion, previousPrefix, previousExpiresAt } = key;
  const current = { current: true, prefix, expiresAt: null };
  if (previousPrefix === null) return [{ ...current, lastUsedAt: await lastUses.ofKey() }];
  const uses = await lastUses.ofSecrets();
  const lastUsedAt = (version: number) => uses.get(version) ?? null;
  return [
    { ...current, lastUsedAt: lastUsedAt(secretVersion) },
    {
      current: false,
      prefix: previousPrefix,
      expiresAt: previousExpiresAt,
      lastUsedAt: lastUsedAt(earliestShown(secretVersion)),
    },
  ];
}
