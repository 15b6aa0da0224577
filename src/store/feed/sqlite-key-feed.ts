import { randomUUID } from 'node:crypto';
import Sqlite from 'better-sqlite3';
import { type FeedFenceRow, feedFence, fenceColumns } from '../rows/fence-rows.ts';
import { type FeedKeyRow, feedColumns, feedKey, type KeyFeed, mustClearCache, type StoreSnapshot } from './key-feed.ts';

type Row = FeedKeyRow<string, string>;

const none: readonly string[] = [];

interface Read {
  readonly epoch: number | undefined;
  readonly snapshot: StoreSnapshot;
}

interface State {
  readonly current: number;
  readonly imports: 0 | 1;
  readonly idSecret: string;
  readonly fences: number;
}

const columns = feedColumns((column) => `k."${column}"`);
const currentColumns = `${columns}, k.digest, k.secretVersion AS digestVersion`;

/** Reads synchronously. `PRAGMA data_version` takes 1 µs. While it is unchanged, no other connection has committed. */
export function openSqliteKeyFeed(file: string): KeyFeed {
  const sqlite = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 1000 });
  sqlite.pragma('cache_size = -65536');
  const dataVersion = sqlite.prepare<[], number>('PRAGMA data_version').pluck();
  // The epoch: rises with each migration, and when SQLite copies a backup over an open database.
  const schemaVersion = sqlite.prepare<[], number>('PRAGMA schema_version').pluck();
  const currentState = sqlite.prepare<[], State>(
    'SELECT current, imports, idSecret, fences FROM "Revision" WHERE id = 1',
  );
  const changedSince = sqlite.prepare<[number], Row>(`SELECT ${currentColumns} FROM "ApiKey" k WHERE k.revision > ?`);
  const byDigest = sqlite.prepare<[string], Row>(`SELECT ${currentColumns} FROM "ApiKey" k WHERE k.digest = ?`);
  const byId = sqlite.prepare<[string], Row>(`SELECT ${currentColumns} FROM "ApiKey" k WHERE k.id = ?`);
  const byRotatedDigest = sqlite.prepare<[string], Row>(
    `SELECT ${columns}, s.digest, s.version AS digestVersion
     FROM "RotatedSecret" s JOIN "ApiKey" k ON k.id = s.keyId WHERE s.digest = ?`,
  );
  // Most secrets were never rotated, and a query that finds nothing is faster with one column than with all columns.
  const isRotated = sqlite.prepare<[string], number>('SELECT 1 FROM "RotatedSecret" WHERE digest = ?').pluck();
  const allFences = sqlite.prepare<[], FeedFenceRow<string>>(
    `SELECT ${fenceColumns((column) => `f."${column}"`)} FROM "Fence" f`,
  );
  let seenVersion: number | undefined;
  let seenState = { imports: false, idSecret: '' };
  let seenEpoch: number | undefined;
  /** The revision of the fences that the caller has. */
  let seenFences: number | undefined;
  // Part of the epoch, so that processes have different epochs: the file may be replaced while no process has it open.
  const process = randomUUID();
  let epochName = '';

  const find = (digests: readonly string[], ids: readonly string[]) => [
    ...ids.flatMap((id) => byId.all(id).map(keyOf)),
    ...digests.flatMap((digest) => {
      // The current secrets are read first. If another process rotates the key before the second read, the digest is in
      // both results. In the other order, it could be in neither.
      const current = byDigest.all(digest);
      const rotated = isRotated.get(digest) === undefined ? [] : byRotatedDigest.all(digest);
      return [...current, ...rotated].map(keyOf);
    }),
  ];

  // One transaction, so that the revision and the rows are one consistent snapshot.
  const readAll = sqlite.transaction(
    (known: number | null, digests: readonly string[], ids: readonly string[]): Read => {
      const state = currentState.get();
      if (state === undefined) throw new Error('the database has lost its revision');
      const { current: revision, idSecret, fences: fencesRevision } = state;
      const imports = state.imports === 1;
      const epoch = schemaVersion.get();
      const since = epoch === seenEpoch ? known : null;
      const overflow = mustClearCache(since, revision);
      const changed = overflow || since === null || revision === since ? [] : changedSince.all(since);
      const keys = [...changed.map(keyOf), ...find(digests, ids)];
      const named = `${process} ${epoch}`;
      const isKnown = since !== null && fencesRevision === seenFences;
      const fences = isKnown ? null : { revision: fencesRevision, up: allFences.all().map(fenceOf) };
      return { epoch, snapshot: { epoch: named, revision, overflow, imports, idSecret, fences, leaseMs: 0, keys } };
    },
  );

  return {
    read: (since, digests, ids = none) => {
      // The version is read before the rows, so that the next call notices a commit between the two reads.
      const version = dataVersion.get();
      if (since !== null && version === seenVersion) {
        const quiet = { epoch: epochName, revision: since, overflow: false, fences: null, leaseMs: 0 };
        return { ...quiet, imports: seenState.imports, idSecret: seenState.idSecret, keys: find(digests, ids) };
      }
      const { epoch, snapshot } = readAll(since, digests, ids);
      // Set only after the read has succeeded, so that a failed read is repeated from the previous state.
      seenVersion = version;
      seenEpoch = epoch;
      seenState = { imports: snapshot.imports, idSecret: snapshot.idSecret };
      epochName = snapshot.epoch;
      if (snapshot.fences !== null) seenFences = snapshot.fences.revision;
      return snapshot;
    },
    close: async () => {
      sqlite.close();
    },
  };
}

function keyOf(row: Row) {
  return feedKey(row, listOf, JSON.parse, Date.parse);
}

function fenceOf(row: FeedFenceRow<string>) {
  return feedFence(row, JSON.parse, Date.parse);
}

function listOf(json: string): readonly string[] {
  return json === '[]' ? none : JSON.parse(json);
}
