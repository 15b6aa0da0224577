/** The keys that a restored database accepts, and the database that it replaces does not. */
import { withCopy } from '../sqlite-copy.ts';

export interface ReversedKeys {
  /** Revoked or purged in the replaced database. */
  readonly revoked: readonly string[];
  readonly disabled: readonly string[];
  /** Accepted with an earlier secret, with an earlier signing secret, or without a signature. */
  readonly rotated: readonly string[];
}

/** Each unrevoked key of the restored database `k` with the first change that its restored state undoes. */
const select = `SELECT k.id, CASE
    WHEN r.id IS NULL OR r."revokedAt" IS NOT NULL THEN 'revoked'
    WHEN r."disabledAt" IS NOT NULL AND k."disabledAt" IS NULL THEN 'disabled'
    WHEN r.digest <> k.digest OR r."signingVersion" <> k."signingVersion"
      OR r."previousExpiresAt" IS NULL AND k."previousExpiresAt" IS NOT NULL
      OR r."previousSigningExpiresAt" IS NULL AND k."previousSigningExpiresAt" IS NOT NULL THEN 'rotated'
  END AS kind
  FROM main."ApiKey" k LEFT JOIN replaced."ApiKey" r ON r.id = k.id WHERE k."revokedAt" IS NULL ORDER BY k.id`;

/** Returns null when one of the databases can't be read. */
export async function reversedKeys(restored: string, replaced: string): Promise<ReversedKeys | null> {
  try {
    return await withCopy(restored, async (sqlite) => {
      sqlite.prepare('ATTACH DATABASE ? AS replaced').run(replaced);
      const keys = sqlite.prepare<[], { id: string; kind: keyof ReversedKeys | null }>(select).all();
      const ofKind = (kind: keyof ReversedKeys) => keys.filter((key) => key.kind === kind).map(({ id }) => id);
      return { revoked: ofKind('revoked'), disabled: ofKind('disabled'), rotated: ofKind('rotated') };
    });
  } catch {
    return null;
  }
}
