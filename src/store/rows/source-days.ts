/** How often keys were presented from each address, by day: the rows of ObservedSources for times and for whole teams. */
import type { Sql } from '@prisma/client/runtime/client';
import { dayMs, startOfDay } from '../../domain/moment.ts';
import { formatIpAddress } from '../../domain/source/ip-address.ts';
import { type SourceDays, sourceDays, unlistedAddress } from '../../domain/source/observed-source.ts';
import type { DatabaseProvider } from '../../lib/database-address.ts';
import type { SourceRecord } from '../../wire/control-plane.ts';
import type { Prisma, PrismaClient } from '../generated/sqlite/client.ts';
import { textsIn } from '../json-rows.ts';
import { mergeRows } from './usage-rows.ts';

/** Bounds the cost of one answer: all keys of a team may have been presented from one address, each day. */
const maxTeamDays = 5000;
/** The columns have 32 bits. */
const maxCount = 2 ** 31 - 1;

export type TeamSourceRecord = SourceRecord & { readonly teamId: string };

const unlisted = formatIpAddress(unlistedAddress);

/** Returns one row per address, key and day. Leaves out days that no query reads, which only a wrong clock reports. */
export function dayRows(records: readonly TeamSourceRecord[], now: Date) {
  const [first, last] = [startOfDay(now).getTime() - sourceDays * dayMs, now.getTime() + dayMs];
  const rows = records.flatMap(({ teamId, address, keyId, firstAt, lastAt, counts }) => {
    const day = startOfDay(lastAt);
    if (address === unlisted || day.getTime() < first || day.getTime() > last) return [];
    const sumOf = (isValid: boolean) =>
      counts.reduce((sum, { code, count }) => {
        return (code === 'VALID') === isValid ? Math.min(sum + count, maxCount) : sum;
      }, 0);
    return [{ teamId, address, day, keyId, accepted: sumOf(true), rejected: sumOf(false), firstAt, lastAt }];
  });
  return mergeRows(
    rows,
    ({ keyId, address, day }) => `${keyId} ${address} ${day.getTime()}`,
    (a, b) => ({
      ...a,
      accepted: Math.min(a.accepted + b.accepted, maxCount),
      rejected: Math.min(a.rejected + b.rejected, maxCount),
      firstAt: a.firstAt < b.firstAt ? a.firstAt : b.firstAt,
      lastAt: a.lastAt > b.lastAt ? a.lastAt : b.lastAt,
    }),
  );
}

/** Deletes the days of addresses that were unlisted, unless another secret of the key still lists them. */
export async function deleteUnlistedDays(transaction: Prisma.TransactionClient, addresses: Sql): Promise<void> {
  await transaction.$executeRaw`
    DELETE FROM "SourceDay" WHERE ("keyId", "address") IN (SELECT "keyId", "address" FROM ${addresses} AS b)
      AND NOT EXISTS (SELECT 1 FROM "ObservedSource" AS s
        WHERE s."keyId" = "SourceDay"."keyId" AND s."address" = "SourceDay"."address")`;
}

/** Returns the days of each key since a day, by address. */
export async function readSourceDays(
  reader: PrismaClient,
  provider: DatabaseProvider,
  keyIds: readonly string[],
  from: Date,
): Promise<Map<string, Map<string, SourceDays>>> {
  // One row per key, because most of the cost is per row, and because each key is then found by its index.
  const rows = await reader.$queryRaw<{ readonly keyId: string; readonly days: string | null }[]>`
    WITH r("keyId") AS (${textsIn(provider, keyIds)})
    SELECT r."keyId", (
      SELECT string_agg(
        d."address" || ' ' || substr(CAST(d."day" AS TEXT), 1, 10) || ' ' || d."accepted" || ' ' || d."rejected", ',')
      FROM "SourceDay" d WHERE d."keyId" = r."keyId" AND d."day" >= ${from}
    ) AS "days" FROM r`;
  return new Map(rows.flatMap(({ keyId, days }) => (days === null ? [] : [[keyId, daysOf(days)]])));
}

function daysOf(text: string): Map<string, SourceDays> {
  const byAddress = new Map<string, Map<number, { readonly accepted: number; readonly rejected: number }>>();
  for (const row of text.split(',')) {
    const [address = '', day = '', accepted, rejected] = row.split(' ');
    const days = byAddress.get(address) ?? new Map();
    byAddress.set(address, days.set(Date.parse(day), { accepted: Number(accepted), rejected: Number(rejected) }));
  }
  return byAddress;
}

/** Returns the latest days of all keys of a team that were presented from an address, the last day first. */
export async function readAddressDays({ sourceDay }: PrismaClient, teamId: string, address: string) {
  return await sourceDay.findMany({
    where: { teamId, address },
    select: { keyId: true, accepted: true, rejected: true, firstAt: true, lastAt: true },
    orderBy: [{ day: 'desc' }],
    take: maxTeamDays,
  });
}
