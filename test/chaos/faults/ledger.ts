/** What a SQLite database holds of keys, read beside the service, and whether it fits together. */
import Sqlite from 'better-sqlite3';

export interface Ledger {
  readonly revision: number;
  readonly keys: readonly { readonly id: string; readonly name: string; readonly revision: number }[];
  readonly audit: readonly { readonly revision: number; readonly keyId: string; readonly action: string }[];
}

export function readLedger(file: string): Ledger {
  const sqlite = new Sqlite(file, { readonly: true });
  try {
    // One transaction, so that it is all of one moment.
    return sqlite.transaction(() => ({
      revision: sqlite.prepare<[], number>('SELECT current FROM "Revision"').pluck().get() ?? -1,
      keys: sqlite.prepare<[], Ledger['keys'][number]>('SELECT * FROM "ApiKey" ORDER BY id').all(),
      audit: sqlite.prepare<[], Ledger['audit'][number]>('SELECT * FROM "AuditEntry" ORDER BY revision').all(),
    }))();
  } finally {
    sqlite.close();
  }
}

/** What is half written: empty when nothing is. */
export function flaws({ revision, keys, audit }: Ledger): string[] {
  const lastChange = new Map(audit.map((entry) => [entry.keyId, entry.revision]));
  return [
    ...audit.filter((entry) => entry.revision > revision).map((entry) => `entry ${entry.revision} is of the future`),
    ...keys.filter((key) => lastChange.get(key.id) !== key.revision).map(({ id }) => `${id} is not as its trail says`),
    ...[...lastChange.keys()].filter((id) => !keys.some((key) => key.id === id)).map((id) => `${id} has only a trail`),
  ];
}

/** The result of SQLite's integrity check of a file, which no process may write at that time. */
export function integrity(file: string): unknown {
  const sqlite = new Sqlite(file);
  try {
    return sqlite.pragma('integrity_check', { simple: true });
  } finally {
    sqlite.close();
  }
}
