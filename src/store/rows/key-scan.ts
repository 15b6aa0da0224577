/** Reads lists of keys in chunks, between which other calls run. Limits how many keys one operation reads. */
import { join, raw, type Sql, sqltag as sql } from '@prisma/client/runtime/client';
import { Slots } from '../../admission/slots.ts';
import { afterRest } from '../../admission/turns.ts';
import type { DatabaseProvider } from '../../lib/database-address.ts';
import { type Scheduler, systemScheduler } from '../../lib/scheduler.ts';
import type { PrismaClient } from '../generated/sqlite/client.ts';
import { queryStore } from '../unavailable.ts';
import {
  type IndexedOrder,
  type KeyPosition,
  type KeySelection,
  listsOf,
  orderColumns,
  orderOf,
  rangesAfter,
  textBytes,
} from './key-selection.ts';

/** The maximum number of keys that one search or count compares. It equals the default of MAX_KEYS_PER_TEAM. */
export const maxScannedKeys = 10_000;

/** In SQLite, a chunk of this size blocks the thread, which serves all calls, for 1 to 2 ms. */
const defaultChunkSize = 250;
/** The first chunk shows how long the texts of the keys are. */
const firstChunkSize = 50;
/**
 * A key with longer texts counts as several: to read a column, SQLite reads all pages of the row before it, so that a
 * search of keys with long allow-lists would take 40 times as long.
 */
const bytesPerKey = 4096;

/** The maximum of concurrent reads. PostgreSQL has more connections than this, so that other reads continue. */
const concurrency: Readonly<Record<DatabaseProvider, number>> = { sqlite: 1, postgresql: 3 };
/**
 * Between reads, leaves turns of the event loop to other calls: a call of another team needs several turns, and would
 * otherwise wait for a read of up to 2 ms in each of them. A turn without work takes microseconds.
 */
const rest = { turns: 32, ms: 5 };

export interface KeyRange {
  readonly selection: KeySelection;
  readonly orderBy: IndexedOrder;
  readonly after?: KeyPosition | undefined;
  readonly chunkSize?: number | undefined;
}

type Values<Name extends string> = Readonly<Record<Name, unknown>>;

interface Chunk {
  readonly scanned: number | bigint;
  /** Of the texts of the scanned keys. Null if there are none, or if their length does not matter. */
  readonly bytes: number | bigint | null;
  readonly endId: string | null;
  readonly endValue: Date | string | null;
}

export class KeyScan {
  readonly #reader: PrismaClient;
  readonly #provider: DatabaseProvider;
  readonly #inTurn: ReturnType<typeof readsInTurn>;

  constructor(reader: PrismaClient, provider: DatabaseProvider) {
    this.#reader = reader;
    this.#provider = provider;
    this.#inTurn = readsInTurn(provider);
  }

  /** Aggregates chunks until `take` returns false. Returns where the scan ended; null at the end of the list. */
  async run<Name extends string>(
    { selection, orderBy, after, chunkSize }: KeyRange,
    aggregates: Readonly<Record<Name, Sql>>,
    take: (values: Values<Name>) => boolean,
  ): Promise<KeyPosition | null> {
    const bytes = this.#provider === 'sqlite' && chunkSize === undefined ? sql`SUM(${textBytes('sqlite')})` : sql`NULL`;
    let left = maxScannedKeys;
    let nextSize = chunkSize ?? firstChunkSize;
    let end: KeyPosition | null = null;
    let [range, ...further] = rangesAfter(orderBy, after ?? null);
    while (range !== undefined) {
      // After the maximum number of keys, checks whether the list has another key.
      const isProbe = left <= 0;
      const size = isProbe ? 1 : Math.min(nextSize, Math.ceil(left));
      const rows = rowsOf(this.#provider, selection, orderBy, range, size);
      const statement = chunkStatement(rows, selection, orderBy, range, { ...aggregates, bytes }, size);
      const [chunk] = await this.#inTurn(selection.teamId, () =>
        queryStore(() => this.#reader.$queryRaw<(Values<Name> & Chunk)[]>(statement)),
      );
      if (chunk === undefined) throw new Error('an aggregate always has one row');
      const scanned = Number(chunk.scanned);
      if (isProbe && scanned > 0) return end;
      const counted = Math.max(scanned, Number(chunk.bytes) / bytesPerKey);
      left -= counted;
      nextSize = chunkSize ?? Math.max(1, Math.floor((defaultChunkSize * scanned) / Math.max(counted, 1)));
      const isFull = chunk.endId !== null;
      if (isFull) end = { id: chunk.endId, value: positionValue(orderBy, chunk.endValue) };
      if (!take(chunk)) return end;
      [range, ...further] = isFull ? rangesAfter(orderBy, end) : further;
    }
    return null;
  }
}

/** Returns a function that runs the reads of searches, those of different teams in turns, and rests between them. */
export function readsInTurn(provider: DatabaseProvider, scheduler: Scheduler = systemScheduler) {
  const slots = new Slots(concurrency[provider]);
  return async <Result>(teamId: string, read: () => Promise<Result>): Promise<Result> =>
    await slots.run({ holder: teamId, maxSlots: Number.POSITIVE_INFINITY }, read, (release) =>
      afterRest(scheduler, rest, release),
    );
}

/** Converts dates, which raw queries of SQLite return as text. */
function positionValue({ field }: IndexedOrder, value: Date | string | null): Date | string | null {
  return field === 'NAME' || typeof value !== 'string' ? value : new Date(value);
}

/** Returns a subquery `k` with the columns that the aggregates of a chunk read. */
function rowsOf(
  provider: DatabaseProvider,
  selection: KeySelection,
  orderBy: IndexedOrder,
  range: Sql,
  size: number,
): Sql {
  const column = `k."${orderColumns[orderBy.field]}"`;
  const chunk = (columns: string) => chunkOf(selection, orderBy, range, raw(columns), size);
  // SQLite copies the columns of a subquery, so this subquery leaves out long texts.
  return provider === 'sqlite'
    ? sql`(${chunk(`k.rowid AS "row", k."id", ${column}`)}) p CROSS JOIN "ApiKey" k ON k.rowid = p."row"`
    : sql`(${chunk('k.*')}) k`;
}

/** Returns one statement: between two statements, a key could change, and then be missing or counted twice. */
function chunkStatement(
  rows: Sql,
  selection: KeySelection,
  orderBy: IndexedOrder,
  range: Sql,
  aggregates: Readonly<Record<string, Sql>>,
  size: number,
): Sql {
  const column = `k."${orderColumns[orderBy.field]}"`;
  const values = Object.entries(aggregates).map(([name, aggregate]) => sql`${aggregate} AS ${raw(`"${name}"`)}`);
  return sql`
    SELECT a.*, e."id" AS "endId", e."value" AS "endValue"
    FROM (SELECT COUNT(*) AS "scanned", ${join(values, ', ')} FROM ${rows}) a
    LEFT JOIN (
      SELECT k."id", ${raw(column)} AS "value" FROM (${chunkOf(selection, orderBy, range, raw(`k."id", ${column}`), size)}) k
      ORDER BY ${orderOf(orderBy)} LIMIT 1 OFFSET ${size - 1}
    ) e ON TRUE`;
}

/** Selects the first keys of a range, in order. The limit of each list makes the databases read the list by its index. */
export function chunkOf(selection: KeySelection, orderBy: IndexedOrder, range: Sql, columns: Sql, size: number): Sql {
  const lists = listsOf(selection, orderBy).map(
    (list) =>
      sql`SELECT ${columns} FROM "ApiKey" k WHERE ${list} AND ${range} ORDER BY ${orderOf(orderBy)} LIMIT ${size}`,
  );
  const [only] = lists;
  if (lists.length === 1 && only !== undefined) return only;
  const all = lists.map((list) => sql`SELECT * FROM (${list}) p`);
  return sql`${join(all, ' UNION ALL ')} ORDER BY ${orderOf(orderBy, '')} LIMIT ${size}`;
}
