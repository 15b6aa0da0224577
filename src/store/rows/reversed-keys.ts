/** The keys that a restored database accepts, and the database that it replaces does not. */
import { withCopy } from '../sqlite-copy.ts';

export interface ReversedKeys {
  /** Revoked or purged in the replaced database. */
  readonly revoked: readonly string[];
  readonly disabled: readonly string[];
  /** Accepted with an earlier secret, with an earlier signing secret, or without a signature. */
  readonly rotated: readonly string[];
}

interface KeyRow {
  readonly id: string;
  readonly digest: string;
  readonly revokedAt: string | null;
  readonly signingVersion: number;
  /** These columns are absent in databases of earlier versions. */
  readonly disabledAt?: string | null;
  readonly previousExpiresAt?: string | null;
  readonly previousSigningExpiresAt?: string | null;
}

type Kind = keyof ReversedKeys;

/** Returns null when the replaced database can't be read. */
export async function reversedKeys(restored: string, replaced: string): Promise<ReversedKeys | null> {
  try {
    return await withCopy(restored, (copy) =>
      withCopy(replaced, async (other) => {
        const reversed: Record<Kind, string[]> = { revoked: [], disabled: [], rotated: [] };
        const find = other.prepare<[string], KeyRow>('SELECT * FROM "ApiKey" WHERE id = ?');
        const keys = copy.prepare<[], KeyRow>('SELECT * FROM "ApiKey" WHERE "revokedAt" IS NULL ORDER BY id');
        for (const key of keys.iterate()) {
          const kind = kindOf(key, find.get(key.id));
          if (kind !== null) reversed[kind].push(key.id);
        }
        return reversed;
      }),
    );
  } catch {
    return null;
  }
}

/** Returns the first change of a key that its restored state undoes. */
function kindOf(key: KeyRow, replaced: KeyRow | undefined): Kind | null {
  if (replaced === undefined || replaced.revokedAt !== null) return 'revoked';
  if (replaced.disabledAt != null && key.disabledAt == null) return 'disabled';
  const isRotated =
    replaced.digest !== key.digest ||
    replaced.signingVersion !== key.signingVersion ||
    (key.previousExpiresAt != null && replaced.previousExpiresAt == null) ||
    (key.previousSigningExpiresAt != null && replaced.previousSigningExpiresAt == null);
  return isRotated ? 'rotated' : null;
}
