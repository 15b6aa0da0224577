import type { StoredKey } from '../../domain/key/api-key.ts';
import { limits } from '../../domain/limits.ts';
import { earliestShown } from '../../domain/secret/rotated-secret.ts';
import type { UsageHour, VerdictCode } from '../../domain/verdict/verdict-code.ts';
import type { DatabaseProvider } from '../../lib/database-address.ts';
import type { UsageRecord } from '../../wire/control-plane.ts';
import { dayTable, hourTable, rejectedHourTable, teamHourTable, usageTable } from '../changes/bulk-rows.ts';
import type { ChangeQueue } from '../changes/change-queue.ts';
import type { PrismaClient } from '../generated/sqlite/client.ts';
import { textsIn } from '../json-rows.ts';
import { queryStore } from '../unavailable.ts';
import { addDerivedUse, readDerivedUse } from './derived-use.ts';
import { addSecretUse, readSecretUses } from './secret-use.ts';
import { dayRows, hourRows, lastUseRows } from './usage-rows.ts';

export interface KeyVerdictCount {
  readonly keyId: string;
  readonly code: VerdictCode;
  readonly count: number;
}

export type LastSecretUses = ReadonlyMap<string, ReadonlyMap<number, Date>>;

export type DailyCounts = ReadonlyMap<string, ReadonlyMap<number, number>>;

const turn = { holder: 'counts of use' };

const countedAtOnce = 1000;

/** Bounds the cost of one answer: a team can have tens of thousands of keys that are rejected each hour. */
const maxRejectedCounts = 5000;

const hourPage = {
  select: { hour: true, code: true, count: true },
  orderBy: [{ hour: 'asc' as const }, { code: 'asc' as const }],
  take: limits.usageCounts + 1,
};

/** The column `code` is text, but only verdict codes are written to it. */
function hoursOf(rows: readonly { hour: Date; code: string; count: number | bigint }[]): UsageHour[] {
  return rows.map(({ hour, code, count }) => ({ hour, code: code as VerdictCode, count: Number(count) }));
}

function daysOf(text: string): ReadonlyMap<number, number> {
  const days = text === '' ? [] : text.split(',').map((day) => day.split(':'));
  return new Map(days.map(([day = '', count]) => [Date.parse(day), Number(count)]));
}

export class Usage {
  readonly #reader: PrismaClient;
  readonly #provider: DatabaseProvider;
  readonly #changes: ChangeQueue;

  constructor(reader: PrismaClient, provider: DatabaseProvider, changes: ChangeQueue) {
    this.#reader = reader;
    this.#provider = provider;
    this.#changes = changes;
  }

  /** Returns when each key was last verified with VALID. Keys without such a verification are absent. */
  async lastUsed(keyIds: readonly string[]): Promise<Map<string, Date>> {
    const rows = await queryStore(() => this.#reader.keyUsage.findMany({ where: { keyId: { in: [...keyIds] } } }));
    return new Map(rows.map(({ keyId, lastUsedAt }) => [keyId, lastUsedAt]));
  }

  /** Returns the daily counts of keys since the start of a day, by key and the start of each day in milliseconds. */
  async daily(keyIds: readonly string[], from: Date): Promise<DailyCounts> {
    // One row per key, because most of the cost is per row.
    const rows = await queryStore(
      () => this.#reader.$queryRaw<{ readonly keyId: string; readonly days: string | null }[]>`
        WITH r("keyId") AS (${textsIn(this.#provider, keyIds)})
        SELECT r."keyId", (
          SELECT string_agg(substr(CAST(d."day" AS TEXT), 1, 10) || ':' || d."count", ',') FROM "UsageDay" d
          WHERE d."keyId" = r."keyId" AND d."day" >= ${from}
        ) AS "days" FROM r`,
    );
    return new Map(rows.map(({ keyId, days }) => [keyId, daysOf(days ?? '')]));
  }

  /** Returns how often keys were verified since the start of an hour. Reads in parts, because SQLite blocks the thread. */
  async callsSince(keyIds: readonly string[], from: Date): Promise<number> {
    let calls = 0;
    for (let i = 0; i < keyIds.length; i += countedAtOnce) {
      const ids = textsIn(this.#provider, keyIds.slice(i, i + countedAtOnce));
      const [row] = await queryStore(
        () => this.#reader.$queryRaw<{ readonly calls: number | bigint | null }[]>`
          SELECT SUM(u."count") AS "calls" FROM "UsageHour" u WHERE u."keyId" IN (${ids}) AND u."hour" >= ${from}`,
      );
      calls += Number(row?.calls ?? 0);
    }
    return calls;
  }

  /** Returns the hourly counts of a key in a time range, end excluded, oldest first; at most one more than the limit. */
  async hourly(keyId: string, from: Date, to: Date): Promise<UsageHour[]> {
    const where = { keyId, hour: { gte: from, lt: to } };
    return hoursOf(await queryStore(() => this.#reader.usageHour.findMany({ where, ...hourPage })));
  }

  async teamHourly(teamId: string, from: Date, to: Date): Promise<UsageHour[]> {
    const where = { teamId, hour: { gte: from, lt: to } };
    return hoursOf(await queryStore(() => this.#reader.teamUsageHour.findMany({ where, ...hourPage })));
  }

  /** Returns how often keys were rejected, by key and verdict, from the latest `maxRejectedCounts` rows. */
  async rejected(teamId: string, from: Date, to: Date): Promise<KeyVerdictCount[]> {
    const rows = await queryStore(() =>
      this.#reader.rejectedHour.findMany({
        where: { teamId, hour: { gte: from, lt: to } },
        select: { keyId: true, code: true, count: true },
        orderBy: { hour: 'desc' },
        take: maxRejectedCounts,
      }),
    );
    const sums = new Map<string, KeyVerdictCount>();
    for (const { keyId, code, count } of rows) {
      const name = `${keyId} ${code}`;
      sums.set(name, { keyId, code: code as VerdictCode, count: (sums.get(name)?.count ?? 0) + count });
    }
    return [...sums.values()];
  }

  /** Lists the uses of tokens that were derived from a key, by label. */
  async derived(keyId: string) {
    return await readDerivedUse(this.#reader, keyId);
  }

  /** Returns the last use of each secret that the API shows, by key and version. */
  async lastUsedSecrets(keys: readonly Pick<StoredKey, 'id' | 'secretVersion'>[]): Promise<LastSecretUses> {
    const secrets = keys.flatMap(({ id, secretVersion }) =>
      [secretVersion, earliestShown(secretVersion)].map((version) => ({ keyId: id, version })),
    );
    const rows = await queryStore(() => readSecretUses(this.#reader, this.#provider, secrets));
    const byKey = new Map<string, Map<number, Date>>();
    for (const { keyId, version, lastUsedAt } of rows) {
      const versions = byKey.get(keyId) ?? new Map<number, Date>();
      if (lastUsedAt !== null) versions.set(Number(version), lastUsedAt);
      byKey.set(keyId, versions);
    }
    return byKey;
  }

  /** Returns the hourly counts of one secret of a key, like `hourly`. */
  async hourlyOfSecret(keyId: string, version: number, from: Date, to: Date): Promise<UsageHour[]> {
    const later = await this.#laterHours({ keyId, ...(version > 1 ? { version } : {}) }, from, to);
    if (version > 1) return later;
    // Reads the total last, so that it includes every count that is subtracted from it.
    const all = await this.hourly(keyId, from, to);
    const nameOf = ({ hour, code }: UsageHour) => `${hour.getTime()} ${code}`;
    const laterCounts = new Map(later.map((row) => [nameOf(row), row.count]));
    return all
      .map((row) => ({ ...row, count: row.count - (laterCounts.get(nameOf(row)) ?? 0) }))
      .filter(({ count }) => count > 0);
  }

  /** Returns the hourly counts of a secret version above 1; without `version`, the sums of all versions above 1. */
  async #laterHours(secret: { keyId: string; version?: number }, from: Date, to: Date): Promise<UsageHour[]> {
    const rows = await queryStore(() =>
      this.#reader.secretUsageHour.groupBy({
        by: ['hour', 'code'],
        where: { ...secret, hour: { gte: from, lt: to } },
        _sum: { count: true },
        orderBy: hourPage.orderBy,
        take: hourPage.take,
      }),
    );
    return hoursOf(rows.map(({ hour, code, _sum }) => ({ hour, code, count: _sum.count ?? 0 })));
  }

  async add(records: readonly UsageRecord[]): Promise<void> {
    const hours = hourRows(records, byKey);
    const rejected = hours.filter(({ code }) => code !== 'VALID');
    await this.#changes.housekeep(async (_, bulk) => {
      await bulk.insert(usageTable, lastUseRows(records, byKey));
      await bulk.insert(hourTable, hours);
      await bulk.insert(dayTable, dayRows(records));
      await bulk.insert(rejectedHourTable, rejected);
      await bulk.insert(teamHourTable, hourRows(records, byTeam));
      await addSecretUse(bulk, records);
      await addDerivedUse(bulk, records);
    }, turn);
  }
}

const byKey = ({ keyId }: Pick<UsageRecord, 'keyId'>) => keyId;
const byTeam = ({ teamId }: Pick<UsageRecord, 'teamId'>) => teamId;
