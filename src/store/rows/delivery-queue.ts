/**
 * What the instance that delivers events reads and writes. The log is the outbox: for each endpoint, the entries after
 * its cursor become pending rows of `Delivery`, in the transaction that moves the cursor. From then on, rows are the
 * only state.
 */
import { type Sql, sqltag as sql } from '@prisma/client/runtime/client';
import type { Delivery } from '../../domain/webhook/delivery.ts';
import type { Webhook } from '../../domain/webhook/webhook.ts';
import type { DatabaseProvider } from '../../lib/database-address.ts';
import type { BulkRows } from '../changes/bulk-rows.ts';
import type { ChangeQueue } from '../changes/change-queue.ts';
import type { PrismaClient } from '../generated/sqlite/client.ts';
import { textsIn, typedTableOf } from '../json-rows.ts';
import { queryStore } from '../unavailable.ts';
import { recordDeliveries, trimDeliveries } from './deliveries.ts';
import { entriesOf, entryAction } from './entry-list.ts';
import { webhookFromRow } from './webhooks.ts';

/**
 * With so many new events pending, an endpoint gets no further ones of the log. Only so many, those that are due first, are
 * looked through for one to send; and so many replays.
 */
export const maxPending = 500;
/** Entries of the log that one transaction turns into deliveries. */
const entriesPerFanOut = 250;
/** Among how many deliveries of an endpoint the oldest is looked for. */
const oldestOf = 100;
/** Entries that an endpoint gets if it has no room for its part of them. */
const fewEntries = 10;
/** The maximum number of requests to an endpoint at the same time. */
export const maxRequests = 2;

export interface Endpoint {
  readonly id: string;
  readonly teamId: string;
}

/** An enabled endpoint with something to do. */
export interface FoundEndpoint extends Endpoint {
  /** Whether the log has entries of its team after its cursor. */
  readonly isBehind: boolean;
  /** Whether a delivery is pending whose time has come. It may have to wait for an earlier one of its key. */
  readonly isDue: boolean;
}

/** Entries of the log that an endpoint has yet to get. */
export interface FanOutRange {
  readonly id: string;
  /** That of the endpoint. If it has changed since, nothing is written. */
  readonly version: number;
  /** Where the cursor is, and where it gets. */
  readonly cursor: bigint;
  readonly until: bigint;
}

export interface PendingDelivery
  extends Pick<Delivery, 'webhookId' | 'revision' | 'type' | 'keyId' | 'createdAt' | 'attempts' | 'isReplay'> {
  readonly nextAttemptAt: Date;
}

/** On SQLite, dates are texts, and booleans may be numbers. */
interface PendingRow extends Pick<Delivery, 'webhookId' | 'type' | 'keyId'> {
  readonly revision: Numeric;
  readonly attempts: Numeric;
  readonly createdAt: Date | string;
  readonly nextAttemptAt: Date | string;
  readonly isReplay: Numeric | boolean;
}

/** A delivery that is under way or was attempted, which its row does not tell yet. */
export interface TakenDelivery extends Pick<Delivery, 'webhookId' | 'revision'> {
  /** Whether later events of the key may be sent. */
  readonly isSettled: boolean;
}

export interface DueDelivery {
  readonly delivery: PendingDelivery;
  /** As it is now. */
  readonly webhook: Webhook;
}

export interface Pause extends Pick<Webhook, 'id'> {
  readonly pausedUntil: Date;
}

/** What became of attempts. */
export interface Outcomes {
  readonly deliveries: readonly Delivery[];
  readonly pauses: readonly Pause[];
  /** The endpoints whose log of deliveries is cut to its maximum length. */
  readonly trimmed: readonly string[];
}

/** A number, as the driver returns it. */
type Numeric = bigint | number;

/** The entries of the team of an endpoint. */
const ofTeam = {
  sqlite: entriesOf('sqlite', 'teamId', sql`w."teamId"`),
  postgresql: entriesOf('postgresql', 'teamId', sql`w."teamId"`),
} as const;

const takenColumns = { webhookId: 'text', revision: 'bigint', isSettled: 'boolean' } as const;

/** New events and replays. The indexes of pending deliveries keep them apart, so that neither is read to find the other. */
const kinds = sql`(SELECT false AS "isReplay" UNION ALL SELECT true) AS k`;
const pendingOf = sql`FROM "Delivery" d
  WHERE d."webhookId" = w."id" AND d."isReplay" = k."isReplay" AND d."nextAttemptAt" IS NOT NULL`;

export class DeliveryQueue {
  readonly #reader: PrismaClient;
  readonly #provider: DatabaseProvider;
  readonly #changes: ChangeQueue;

  constructor(reader: PrismaClient, provider: DatabaseProvider, changes: ChangeQueue) {
    this.#reader = reader;
    this.#provider = provider;
    this.#changes = changes;
  }

  /** Finds the endpoints with something to do: of these teams, or of all. */
  async find(now: Date, teamIds?: readonly string[]): Promise<FoundEndpoint[]> {
    const ofTeams = teamIds === undefined ? sql`` : sql`AND w."teamId" IN (${textsIn(this.#provider, teamIds)})`;
    const rows = await queryStore(
      () => this.#reader.$queryRaw<(Endpoint & { readonly isBehind: Numeric; readonly isDue: Numeric })[]>`
        SELECT * FROM (
          SELECT w."id", w."teamId",
            CASE WHEN ${this.#entry(sql`a."revision"`)} IS NOT NULL THEN 1 ELSE 0 END AS "isBehind",
            CASE WHEN (w."pausedUntil" IS NULL OR w."pausedUntil" <= ${now})
              AND (SELECT MIN((SELECT MIN(d."nextAttemptAt") ${pendingOf})) FROM ${kinds}) <= ${now}
              THEN 1 ELSE 0 END AS "isDue"
          FROM "Webhook" w WHERE w."disabledAt" IS NULL ${ofTeams}) AS found
        WHERE "isBehind" + "isDue" > 0`,
    );
    return rows.map(({ isBehind, isDue, ...row }) => ({
      ...row,
      isBehind: Number(isBehind) === 1,
      isDue: Number(isDue) === 1,
    }));
  }

  /** Returns what `fanOut` writes next for endpoints that are behind. Omits those with many new events pending. */
  async ranges(webhookIds: readonly string[]): Promise<FanOutRange[]> {
    const entries = Math.max(fewEntries, Math.floor(entriesPerFanOut / webhookIds.length));
    const pending = sql`SELECT 1 FROM "Delivery" d
      WHERE d."webhookId" = w."id" AND NOT d."isReplay" AND d."nextAttemptAt" IS NOT NULL LIMIT ${maxPending}`;
    const hasRoomFor = (count: number) => sql`(SELECT COUNT(*) FROM (${pending}) AS pending) <= ${maxPending - count}`;
    const rows = await queryStore(
      () => this.#reader.$queryRaw<{ id: string; version: Numeric; cursor: Numeric; until: Numeric | null }[]>`
        SELECT w."id", w."version", w."cursor", COALESCE(CASE WHEN ${hasRoomFor(entries)}
            THEN ${this.#entry(sql`a."revision"`, 'oldestFirst', entries - 1)}
            ELSE ${this.#entry(sql`a."revision"`, 'oldestFirst', fewEntries - 1)} END,
          ${this.#entry(sql`a."revision"`, 'newestFirst')}) AS "until"
        FROM "Webhook" w WHERE w."id" IN (${textsIn(this.#provider, webhookIds)}) AND w."disabledAt" IS NULL
          AND ${hasRoomFor(fewEntries)}`,
    );
    return rows.flatMap(({ id, version, cursor, until }) =>
      until === null ? [] : [{ id, version: Number(version), cursor: BigInt(cursor), until: BigInt(until) }],
    );
  }

  /**
   * Returns the deliveries to send next to each endpoint, at most `maxRequests` new events and as many replays: those that
   * are due first, but of each key only the earliest of the kind that is not settled.
   */
  async due(webhookIds: readonly string[], taken: readonly TakenDelivery[], now: Date): Promise<DueDelivery[]> {
    const isPostgres = this.#provider === 'postgresql';
    const pending = sql`"Delivery" n
      WHERE n."webhookId" = w."id" AND n."isReplay" = k."isReplay" AND n."nextAttemptAt" <= ${now}`;
    const dueFirst = sql`n."nextAttemptAt", n."revision"`;
    // Replays of one key can be many, of which none but the first may be sent. PostgreSQL would also compare all with
    // others of their keys, so it gets them in order, and a limited subquery instead of NOT EXISTS, which it would join.
    const first = (columns: Sql) => sql`
      SELECT ${columns} FROM (SELECT * FROM ${pending} ORDER BY ${dueFirst} LIMIT ${maxPending}) AS n
      WHERE (n."webhookId", n."revision") NOT IN (SELECT "webhookId", "revision" FROM taken)
        AND (
          SELECT e."revision" FROM "Delivery" e
          WHERE e."webhookId" = n."webhookId" AND e."isReplay" = n."isReplay" AND e."keyId" = n."keyId"
            AND e."revision" < n."revision" AND e."nextAttemptAt" IS NOT NULL
            AND (e."webhookId", e."revision") NOT IN (SELECT "webhookId", "revision" FROM taken WHERE "isSettled")
          LIMIT 1) IS NULL
      ORDER BY ${dueFirst} LIMIT ${maxRequests}`;
    // SQLite has no LATERAL, and PostgreSQL would compare each delivery of an endpoint with the list. So would SQLite,
    // without CROSS: it then reads the deliveries before the kinds.
    const isFirst = isPostgres
      ? sql`CROSS JOIN LATERAL (${first(sql`n.*`)}) AS d`
      : sql`CROSS JOIN "Delivery" d ON d."webhookId" = w."id" AND d."revision" IN (${first(sql`n."revision"`)})`;
    const rows = await queryStore(
      () => this.#reader.$queryRaw<PendingRow[]>`
        WITH taken AS (SELECT * FROM ${typedTableOf(this.#provider, takenColumns, taken)} AS r), w AS MATERIALIZED (
          SELECT "id" FROM "Webhook" WHERE "id" IN (${textsIn(this.#provider, webhookIds)}) AND "disabledAt" IS NULL
            AND ("pausedUntil" IS NULL OR "pausedUntil" <= ${now}))
        SELECT d."webhookId", d."revision", d."type", d."keyId", d."createdAt", d."attempts", d."nextAttemptAt",
          d."isReplay"
        FROM w CROSS JOIN ${kinds} ${isFirst}`,
    );
    if (rows.length === 0) return [];
    const where = { id: { in: [...new Set(rows.map(({ webhookId }) => webhookId))] }, disabledAt: null };
    const webhooks = await queryStore(() => this.#reader.webhook.findMany({ where }));
    const byId = new Map(webhooks.map((row) => [row.id, webhookFromRow(row)]));
    const due = rows.flatMap((row) => {
      const webhook = byId.get(row.webhookId);
      return webhook === undefined ? [] : [{ delivery: pendingFromRow(row), webhook }];
    });
    return due.sort(({ delivery: a }, { delivery: b }) => {
      return a.nextAttemptAt.getTime() - b.nextAttemptAt.getTime() || Number(a.revision - b.revision);
    });
  }

  /** Returns the time of the event that enabled endpoints wait for longest; null if none waits. */
  async oldest(): Promise<Date | null> {
    // Of each endpoint, the deliveries that are due first: they are read by index, and what waits for a retry is among them
    // unless many are due, which are old then too.
    const [row] = await queryStore(
      () => this.#reader.$queryRaw<{ readonly at: Date | string | null }[]>`
        SELECT MIN("at") AS "at" FROM (
          SELECT (SELECT MIN("createdAt") FROM (
            SELECT d."createdAt" ${pendingOf} ORDER BY d."nextAttemptAt", d."revision" LIMIT ${oldestOf}) AS due) AS "at"
          FROM "Webhook" w CROSS JOIN ${kinds} WHERE w."disabledAt" IS NULL
          UNION ALL
          SELECT ${this.#entry(sql`a."at"`)} AS "at"
          FROM "Webhook" w WHERE w."disabledAt" IS NULL) AS firsts`,
    );
    return row?.at == null ? null : new Date(row.at);
  }

  /**
   * Sets cursors after the end of the log back to it. They are there if the database was restored or a replica has taken
   * over, and the revisions are given to other events. What is stored about these revisions is deleted.
   */
  async resetCursors(): Promise<void> {
    const end = await queryStore(() => this.#reader.revision.findUniqueOrThrow({ where: { id: 1 } }));
    const late = { cursor: { gt: end.current } };
    if ((await queryStore(() => this.#reader.webhook.findFirst({ where: late, select: { id: true } }))) === null)
      return;
    await this.#changes.housekeep(async (transaction) => {
      const { current } = await transaction.revision.findUniqueOrThrow({ where: { id: 1 } });
      const found = await transaction.webhook.findMany({ where: { cursor: { gt: current } }, select: { id: true } });
      for (const { id } of found) {
        await transaction.delivery.deleteMany({ where: { webhookId: id, revision: { gt: current } } });
        await transaction.webhook.updateMany({ where: { id, cursor: { gt: current } }, data: { cursor: current } });
      }
    });
  }

  /** SQL for a column of an entry of the log after the cursor of `w`. */
  #entry(column: Sql, which: 'oldestFirst' | 'newestFirst' = 'oldestFirst', offset = 0): Sql {
    const { are, [which]: order } = ofTeam[this.#provider];
    return sql`(SELECT ${column} FROM "AuditEntry" a
      WHERE ${are} AND a."revision" > w."cursor" ORDER BY ${order} LIMIT 1 OFFSET ${offset})`;
  }
}

function pendingFromRow({
  revision,
  attempts,
  isReplay,
  createdAt,
  nextAttemptAt,
  ...row
}: PendingRow): PendingDelivery {
  const numbers = { revision: BigInt(revision), attempts: Number(attempts), isReplay: Number(isReplay) === 1 };
  return { ...row, ...numbers, createdAt: new Date(createdAt), nextAttemptAt: new Date(nextAttemptAt) };
}

const inRange = sql`a."revision" > r."cursor" AND a."revision" <= r."until"`;

const rangeColumns = {
  id: 'text',
  version: 'integer',
  cursor: 'bigint',
  until: 'bigint',
  now: 'timestamp(3)',
} as const;

/** SQL that differs between the databases: the entries of ranges, and the type of an entry and its endpoint. */
const fanOutSql = {
  sqlite: {
    entries: sql`JOIN "AuditEntry" a ON ${ofTeam.sqlite.are} AND ${inRange}`,
    type: sql`lower(substr(${entryAction}, 1, instr(${entryAction}, '_') - 1) || '.' || substr(${entryAction}, instr(${entryAction}, '_') + 1))`,
    wants: (type: Sql) =>
      sql`(json_array_length(w."types") = 0 OR ${type} IN (SELECT value FROM json_each(w."types")))`,
  },
  postgresql: {
    // Limited, because of a join, PostgreSQL would often compare each range with the whole log of its team.
    entries: sql`CROSS JOIN LATERAL (
      SELECT * FROM "AuditEntry" a WHERE ${ofTeam.postgresql.are} AND ${inRange}
      ORDER BY ${ofTeam.postgresql.oldestFirst} LIMIT ${entriesPerFanOut}) AS e`,
    // Replaces the first one only.
    type: sql`lower(regexp_replace(${entryAction}, '_', '.'))`,
    wants: (type: Sql) => sql`(w."types" = '[]'::jsonb OR w."types" @> to_jsonb(${type}))`,
  },
} as const;

/**
 * Turns entries of the log into pending deliveries, and moves the cursors. If an endpoint has changed since its range was
 * read, nothing happens to it. Deliveries that exist stay as they are: events after the cursor may have been replayed, or
 * attempted by an instance before 0.2.
 */
export async function fanOut(
  { transaction, provider }: BulkRows,
  ranges: readonly FanOutRange[],
  now: Date,
): Promise<void> {
  const { entries, type, wants } = fanOutSql[provider];
  const timed = ranges.map((range) => ({ ...range, now }));
  const rows = typedTableOf(provider, rangeColumns, timed);
  // The first of both statements sees this version or another one, and the second one too, because versions only grow.
  await transaction.$executeRaw`
    INSERT INTO "Delivery" ("webhookId", "revision", "type", "keyId", "outcome", "attempts", "createdAt", "nextAttemptAt")
    SELECT w."id", "revision", ${type}, "keyId", 'PENDING', 0, r."now", r."now"
    FROM ${rows} AS r JOIN "Webhook" w ON w."id" = r."id" AND w."version" = r."version" ${entries}
    WHERE ${entryAction} <> 'WEBHOOK_TESTED' AND ${wants(type)}
    ON CONFLICT DO NOTHING`;
  await transaction.$executeRaw`
    UPDATE "Webhook" AS w SET "cursor" = r."until" FROM ${rows} AS r
    WHERE w."id" = r."id" AND w."version" = r."version" AND w."cursor" = r."cursor"`;
}

/** The maximum number of outcomes in a transaction. About 200 kB: a statement on SQLite blocks the thread. */
export const maxOutcomes = 100;

/** Writes what became of attempts. */
export async function settle(bulk: BulkRows, { deliveries, pauses, trimmed }: Outcomes): Promise<void> {
  // In the order in which all transactions lock the rows, so that they don't wait for each other.
  await recordDeliveries(bulk, deliveries.toSorted(byEndpointAndRevision));
  await bulk.execute(
    { name: 'Webhook', columns: ['id', 'pausedUntil'] },
    pauses,
    (rows) => sql`UPDATE "Webhook" AS w SET "pausedUntil" = r."pausedUntil" FROM ${rows} AS r WHERE w."id" = r."id"`,
  );
  for (const id of trimmed) await trimDeliveries(bulk, id);
}

function byEndpointAndRevision(a: Delivery, b: Delivery): number {
  if (a.webhookId !== b.webhookId) return a.webhookId < b.webhookId ? -1 : 1;
  return a.revision < b.revision ? -1 : 1;
}
