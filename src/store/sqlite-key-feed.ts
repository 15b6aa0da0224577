import Sqlite from 'better-sqlite3';
import { type FeedKey, type KeyFeed, mustClearCache, type Snapshot, type StoredFeedKey } from './key-feed.ts';

interface Row extends StoredFeedKey {
  readonly allowedIps: string;
  readonly importRevision: number | null;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
}

interface State {
  readonly current: number;
  readonly imports: 0 | 1;
}

const columns =
  'id, teamId, name, env, prefix, digest, allowedIps, expiresAt, revokedAt, signingEnvelope, signingVersion, importRevision';

/**
 * On SQLite, reads are synchronous. `PRAGMA data_version` changes with every commit of any other connection, in any
 * process, and costs about a microsecond. As long as it is unchanged, everything that was read before is current.
 */
export function openSqliteKeyFeed(file: string): KeyFeed {
  const sqlite = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 1000 });
  sqlite.pragma('cache_size = -65536');
  const dataVersion = sqlite.prepare<[], number>('PRAGMA data_version').pluck();
  // The epoch: migrations raise it, and so does SQLite when a backup is copied over an open database.
  const schemaVersion = sqlite.prepare<[], number>('PRAGMA schema_version').pluck();
  const currentState = sqlite.prepare<[], State>('SELECT current, imports FROM "Revision" WHERE id = 1');
  const changedSince = sqlite.prepare<[number], Row>(`SELECT ${columns} FROM "ApiKey" WHERE revision > ?`);
  const byDigest = sqlite.prepare<[string], Row>(`SELECT ${columns} FROM "ApiKey" WHERE digest = ?`);
  let seenVersion: number | undefined;
  let seenImports = false;
  let seenEpoch: number | undefined;

  const find = (digests: readonly string[]) =>
    // Several teams may have imported the same key.
    digests.flatMap((digest) => byDigest.all(digest).map(keyOf));

  // One transaction, so that the revision and the rows are one consistent snapshot.
  const readAll = sqlite.transaction((known: number | null, digests: readonly string[]): Snapshot => {
    const state = currentState.get();
    if (state === undefined) throw new Error('the database has lost its revision');
    const { current: revision } = state;
    seenImports = state.imports === 1;
    const epoch = schemaVersion.get();
    const since = epoch === seenEpoch ? known : null;
    seenEpoch = epoch;
    const overflow = mustClearCache(since, revision);
    const changed = overflow || since === null || revision === since ? [] : changedSince.all(since).map(keyOf);
    return { revision, overflow, imports: seenImports, leaseMs: 0, keys: [...changed, ...find(digests)] };
  });

  return {
    read: (since, digests) => {
      // Read before the rows, so that the next round sees a commit in between.
      const version = dataVersion.get();
      if (since !== null && version === seenVersion) {
        return { revision: since, overflow: false, imports: seenImports, leaseMs: 0, keys: find(digests) };
      }
      const round = readAll(since, digests);
      seenVersion = version;
      return round;
    },
    close: async () => {
      sqlite.close();
    },
  };
}

function keyOf({ allowedIps, expiresAt, revokedAt, ...row }: Row): FeedKey {
  return {
    ...row,
    allowedIps: allowedIps === '[]' ? none : JSON.parse(allowedIps),
    expiresAt: expiresAt === null ? null : Date.parse(expiresAt),
    revoked: revokedAt !== null,
  };
}

const none: readonly string[] = [];
