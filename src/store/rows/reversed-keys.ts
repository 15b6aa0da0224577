/** The keys that a restored database accepts but the replaced database does not. */
import type Sqlite from 'better-sqlite3';
import { withCopy } from '../sqlite-copy.ts';

export interface ReversedKeys {
  /** Revoked or purged in the replaced database. */
  readonly revoked: readonly string[];
  readonly disabled: readonly string[];
  /** Accepted with an earlier secret, with an earlier signing secret, or without a signature. */
  readonly rotated: readonly string[];
}

/** The columns to compare. Databases from before rotation and disabling lack the last three columns. */
const columns = [
  'id',
  'digest',
  'revokedAt',
  'signingVersion',
  'disabledAt',
  'previousExpiresAt',
  'previousSigningExpiresAt',
] as const;

/** Selects each unrevoked key of the restored database, `k`, with one change that the restore undoes. */
const select = (sqlite: Sqlite.Database) => `SELECT k.id, CASE
    WHEN r.id IS NULL OR r."revokedAt" IS NOT NULL THEN 'revoked'
    WHEN r."disabledAt" IS NOT NULL AND k."disabledAt" IS NULL THEN 'disabled'
    WHEN r.digest <> k.digest OR r."signingVersion" <> k."signingVersion"
      OR r."previousExpiresAt" IS NULL AND k."previousExpiresAt" IS NOT NULL
      OR r."previousSigningExpiresAt" IS NULL AND k."previousSigningExpiresAt" IS NOT NULL THEN 'rotated'
  END AS kind
  FROM (${keysOf(sqlite, 'main')}) k LEFT JOIN (${keysOf(sqlite, 'replaced')}) r ON r.id = k.id
  WHERE k."revokedAt" IS NULL ORDER BY k.id`;

/** Returns the query for the keys of a database of any version. Missing columns are null. */
function keysOf(sqlite: Sqlite.Database, schema: 'main' | 'replaced'): string {
  const existing = sqlite
    .prepare<[string], string>(`SELECT name FROM pragma_table_info('ApiKey', ?)`)
    .pluck()
    .all(schema);
  const selected = columns.map((column) => (existing.includes(column) ? `"${column}"` : `NULL AS "${column}"`));
  return `SELECT ${selected.join(', ')} FROM ${schema}."ApiKey"`;
}

/** Returns null when one of the databases can't be read. */
export async function reversedKeys(restored: string, replaced: string): Promise<ReversedKeys | null> {
  try {
    return await withCopy(restored, async (sqlite) => {
      sqlite.prepare('ATTACH DATABASE ? AS replaced').run(replaced);
      const keys = sqlite.prepare<[], { id: string; kind: keyof ReversedKeys | null }>(select(sqlite)).all();
      const ofKind = (kind: keyof ReversedKeys) => keys.filter((key) => key.kind === kind).map(({ id }) => id);
      return { revoked: ofKind('revoked'), disabled: ofKind('disabled'), rotated: ofKind('rotated') };
    });
  } catch {
    return null;
  }
}
