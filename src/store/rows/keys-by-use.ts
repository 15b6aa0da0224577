/**
 * Orders keys by their use. No index has these orders, because each call would change it: all keys that match are read by
 * the list's own index, as a count reads them, and sorted here.
 */
import { type Sql, sqltag as sql } from '@prisma/client/runtime/client';
import { dayMs, startOfDay } from '../../domain/moment.ts';
import type { DatabaseProvider } from '../../lib/database-address.ts';
import type { KeyScan } from './key-scan.ts';
import { conditions, type KeyListing, type KeyOrder, newestFirst, type UseField } from './key-selection.ts';
import { listOf, partsOf } from './lists-in-text.ts';

/** A key, and what it is ordered by: the time of its last use in milliseconds, 0 if it was never used, or its calls. */
export interface KeyByUse {
  readonly id: string;
  readonly value: number;
}

/** The days of which calls are counted: today and those before, in UTC, as `callsByDay` has them by default. */
const callDays = 7;

/** Returns the first keys after a position, up to `limit`, of the `maxScannedKeys` newest keys that match. */
export async function searchByUse(
  scan: KeyScan,
  provider: DatabaseProvider,
  { limit, orderBy, after, ...selection }: KeyListing<UseField>,
): Promise<KeyByUse[]> {
  const entry = sql`k."id" || ':' || ${orderedValue(provider, orderBy.field, selection.now)}`;
  const start = after === undefined ? null : { id: after.id, value: Number(after.value) };
  const found: KeyByUse[] = [];
  await scan.run(
    { selection, orderBy: newestFirst },
    { keys: listOf(entry, conditions(provider, selection)) },
    ({ keys }) => {
      for (const [id = '', value] of partsOf(keys)) {
        const key = { id, value: Number(value) };
        if (start === null || compare(orderBy, key, start) > 0) found.push(key);
      }
      return true;
    },
  );
  return found.sort((a, b) => compare(orderBy, a, b)).slice(0, limit);
}

function compare({ direction }: KeyOrder<UseField>, a: KeyByUse, b: KeyByUse): number {
  const order = a.value - b.value || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
  return direction === 'ASC' ? order : -order;
}

function orderedValue(provider: DatabaseProvider, field: UseField, now: Date): Sql {
  const value =
    field === 'LAST_USED_AT'
      ? sql`SELECT ${milliseconds[provider]} FROM "KeyUsage" u WHERE u."keyId" = k."id"`
      : sql`SELECT SUM(d."count") FROM "UsageDay" d
            WHERE d."keyId" = k."id" AND d."day" >= ${new Date(startOfDay(now).getTime() - (callDays - 1) * dayMs)}`;
  return sql`COALESCE((${value}), 0)`;
}

const milliseconds = {
  sqlite: sql`CAST(ROUND(unixepoch(u."lastUsedAt", 'subsec') * 1000) AS INTEGER)`,
  postgresql: sql`CAST(EXTRACT(EPOCH FROM u."lastUsedAt") * 1000 AS BIGINT)`,
};
