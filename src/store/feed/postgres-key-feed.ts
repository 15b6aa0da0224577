import pg from 'pg';
import type { Metadata } from '../../domain/key/metadata.ts';
import { connectionNames, keepAlive } from '../postgres-pool.ts';
import { notPrimary, notPrimaryReason, sessionSettingsSql } from '../postgres-session.ts';
import { PreparedStatement } from '../prepared-statement.ts';
import { type FeedFenceRow, feedFence, fenceColumns } from '../rows/fence-rows.ts';
import {
  type FeedKey,
  type FeedKeyRow,
  feedColumns,
  feedKey,
  type KeyFeed,
  maxChanges,
  mustClearCache,
  type StoreSnapshot,
} from './key-feed.ts';

interface State {
  readonly current: string;
  readonly imports: boolean;
  readonly leaseMs: number;
  readonly idSecret: string;
  readonly fences: string;
  readonly epoch: string;
  readonly notPrimary: string | null;
}

/** The state, and a key. If no key was found, one row has only the state. */
type Row = State & (FeedKeyRow<readonly string[], Metadata> | { readonly id: null });

const timeIn = (table: string) => (column: string) =>
  `(extract(epoch FROM ${table}."${column}") * 1000)::bigint AS "${column}"`;
const keyColumns = feedColumns(timeIn('k'));

/** Of the server that answers: `stateText` says why. */
const serverColumns = `
  (SELECT oid FROM pg_database WHERE datname = current_database()) || ' ' || r.tableoid || ' '
    || extract(epoch FROM pg_postmaster_start_time()) AS "epoch",
  ${notPrimaryReason} AS "notPrimary"`;

/**
 * One statement, so that the revision and the rows are one consistent snapshot. The epoch contains the database's oid,
 * because a copy of the database on the same server has the same tables. The epoch changes after pg_restore, which
 * recreates tables, and after a restart, a failover or a point-in-time recovery. The statement also checks that the
 * server is the primary, because a pooler may send each statement to another server. So a standby never answers before
 * its promotion, which does not change the epoch.
 */
const stateText = `
  SELECT r."current", r."imports", r."leaseMs", r."idSecret", r."fences", ${serverColumns},
    ${keyColumns}, k."foundDigest" AS "digest", k."digestVersion"
  FROM "Revision" r LEFT JOIN LATERAL (
    SELECT c.*, c."digest" AS "foundDigest", c."secretVersion" AS "digestVersion"
      FROM "ApiKey" c WHERE c."revision" > $1 AND r."current" - $1 <= ${maxChanges}
    UNION ALL SELECT c.*, c."digest", c."secretVersion" FROM "ApiKey" c WHERE c."digest" = ANY($2)
    UNION ALL SELECT c.*, s."digest", s."version"
      FROM "RotatedSecret" s JOIN "ApiKey" c ON c."id" = s."keyId" WHERE s."digest" = ANY($2)
    UNION ALL SELECT c.*, c."digest", c."secretVersion" FROM "ApiKey" c WHERE c."id" = ANY($3)
  ) k ON true
  WHERE r."id" = 1`;

/**
 * Read after the state, and only if the fences have changed. It must be of the same server, and not older than the state:
 * what is newer is read again by the next round.
 */
const fencesText = `
  SELECT r."fences", ${serverColumns}, ${fenceColumns(timeIn('f'))}
  FROM "Revision" r LEFT JOIN "Fence" f ON true WHERE r."id" = 1`;

/** Short, because all verifications wait for the query. Connecting plus querying takes at most 1.5 times this. */
const timeoutMs = 1000;

const timeouts = { statementMs: timeoutMs, idleInTransactionMs: timeoutMs };

/** Runs one short query per confirmation round, on a dedicated connection that is reopened when it breaks. */
export function openPostgresKeyFeed(url: string): KeyFeed {
  const [selectState, selectFences] = [new PreparedStatement(stateText), new PreparedStatement(fencesText)];
  let connecting: Promise<pg.Client> | null = null;
  let seenEpoch: string | undefined;
  /** The revision of the fences that the caller has. */
  let seenFences: number | undefined;

  function connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: timeoutMs,
      ...keepAlive,
      application_name: connectionNames.verification,
    });
    const connection = client.connect().then(() => {
      // Without waiting: the server takes it before the first read, whose timeout includes it.
      client.query(`SELECT ${sessionSettingsSql(timeouts, client)}`).catch(() => void forget(connection));
      return client;
    });
    // A running query fails by itself. The next query needs a new connection.
    const gone = () => {
      if (connecting === connection) connecting = null;
    };
    client.on('error', gone);
    client.on('end', gone);
    return connection;
  }

  async function forget(connection: Promise<pg.Client>): Promise<void> {
    if (connecting === connection) connecting = null;
    // Closing a broken connection may fail, which does not matter, because the connection is not used again.
    await connection.then((client) => client.end()).catch(() => undefined);
  }

  return {
    read: async (since, digests, ids = []): Promise<StoreSnapshot> => {
      const deadline = performance.now() + timeoutMs;
      connecting ??= connect();
      const connection = connecting;
      try {
        const client = await connection;
        const query_timeout = Math.max(timeoutMs / 2, deadline - performance.now());
        // Without a known revision, no row counts as changed.
        const from = since ?? Number.MAX_SAFE_INTEGER;
        const rows = await selectState.query<Row>(client, [from, digests, ids], query_timeout);
        const [first] = rows;
        if (first !== undefined && first.notPrimary !== null) throw notPrimary(first.notPrimary);
        const revision = Number(first?.current);
        if (!Number.isSafeInteger(revision)) throw new Error('the database has lost its revision');
        const overflow = first?.epoch !== seenEpoch || mustClearCache(since, revision);
        const keys = rows.flatMap(keysOf);
        const fencesRevision = Number(first?.fences);
        const isKnown = since !== null && !overflow && fencesRevision === seenFences;
        const fences =
          isKnown || first === undefined
            ? null
            : fencesSince(first, await selectFences.query<FenceRow>(client, [], query_timeout));
        // Set only after the rows are known, so that a failed read is repeated from the previous epoch.
        seenEpoch = first?.epoch;
        seenFences = fencesRevision;
        const { imports = false, leaseMs = 0, idSecret = '' } = first ?? {};
        return { epoch: String(first?.epoch), revision, overflow, imports, idSecret, fences, leaseMs, keys };
      } catch (error) {
        void forget(connection);
        throw error;
      }
    },
    close: async () => {
      if (connecting !== null) await forget(connecting);
    },
  };
}

type FenceRow = Pick<State, 'fences' | 'epoch' | 'notPrimary'> & (FeedFenceRow<unknown> | { readonly teamId: null });

/** The fences of a state that has been read, or of a newer one. */
function fencesSince({ fences, epoch }: State, rows: readonly FenceRow[]) {
  const [first] = rows;
  if (first !== undefined && first.notPrimary !== null) throw notPrimary(first.notPrimary);
  if (first?.epoch !== epoch || !(Number(first.fences) >= Number(fences))) {
    throw new Error('the fences were read from another state');
  }
  const up = rows.flatMap(({ fences: _, epoch: __, notPrimary: ___, ...row }) =>
    row.teamId === null ? [] : [feedFence(row, (list) => list, Number)],
  );
  return { revision: Number(fences), up };
}

function keysOf({ current: _, imports: __, leaseMs: ___, idSecret: ____, fences: _____, ...found }: Row): FeedKey[] {
  const { epoch: _6, notPrimary: _7, ...row } = found;
  if (row.id === null) return [];
  return [
    feedKey(
      row,
      (list) => list,
      (metadata) => metadata,
      Number,
    ),
  ];
}
