import type { UsageRecord } from '../domain/control-plane.ts';
import { limits } from '../domain/limits.ts';
import type { UsageHour } from '../domain/usage-hour.ts';
import type { VerdictCode } from '../domain/verdict-code.ts';
import { hourTable, insertRows, teamHourTable, usageTable } from './bulk-rows.ts';
import type { ChangeQueue } from './change-queue.ts';
import type { Prisma, PrismaClient } from './generated/sqlite/client.ts';
import { askStore } from './unavailable.ts';

export class Usage {
  readonly #reader: PrismaClient;
  readonly #changes: ChangeQueue;

  constructor(reader: PrismaClient, changes: ChangeQueue) {
    this.#reader = reader;
    this.#changes = changes;
  }

  /** Returns when each key was last verified with VALID. Keys that never were are absent. */
  async lastUsed(keyIds: readonly string[]): Promise<Map<string, Date>> {
    const rows = await askStore(() => this.#reader.keyUsage.findMany({ where: { keyId: { in: [...keyIds] } } }));
    return new Map(rows.map(({ keyId, lastUsedAt }) => [keyId, lastUsedAt]));
  }

  /** Returns the hourly counts of a key in a time range, end excluded, oldest first: at most one more than the limit. */
  async hourly(keyId: string, from: Date, to: Date): Promise<UsageHour[]> {
    const rows = await askStore(() =>
      this.#reader.usageHour.findMany({
        where: { keyId, hour: { gte: from, lt: to } },
        select: { hour: true, code: true, count: true },
        orderBy: [{ hour: 'asc' }, { code: 'asc' }],
        take: limits.usageCounts + 1,
      }),
    );
    // The column is text, but only verdict codes are written to it.
    return rows.map((row) => ({ ...row, code: row.code as VerdictCode }));
  }

  /** The same for all keys of a team. */
  async teamHourly(teamId: string, from: Date, to: Date): Promise<UsageHour[]> {
    const rows = await askStore(() =>
      this.#reader.teamUsageHour.findMany({
        where: { teamId, hour: { gte: from, lt: to } },
        select: { hour: true, code: true, count: true },
        orderBy: [{ hour: 'asc' }, { code: 'asc' }],
        take: limits.usageCounts + 1,
      }),
    );
    return rows.map(({ hour, code, count }) => ({ hour, code: code as VerdictCode, count: Number(count) }));
  }

  /** Adds counts to the stored usage, atomically. */
  async add(records: readonly UsageRecord[]): Promise<void> {
    // All instances write rows in the same order, so that they never deadlock.
    const sorted = [...records].sort(byKeyAndHour);
    await this.#changes.perform(async (transaction, dialect) => {
      await insertRows(transaction, dialect, usageTable, lastUses(sorted));
      await insertRows(transaction, dialect, hourTable, sorted.flatMap(hoursOf));
      await insertRows(transaction, dialect, teamHourTable, teamHours(sorted));
    });
  }
}

function byKeyAndHour(a: UsageRecord, b: UsageRecord): number {
  if (a.keyId !== b.keyId) return a.keyId < b.keyId ? -1 : 1;
  return a.hour.getTime() - b.hour.getTime();
}

function hoursOf({ keyId, hour, counts }: UsageRecord) {
  return counts.map(({ code, count }) => ({ keyId, hour, code, count }));
}

/** One row per team, hour and verdict, in a fixed order. */
function teamHours(records: readonly UsageRecord[]): Prisma.TeamUsageHourCreateManyInput[] {
  const sums = new Map<string, { teamId: string; hour: Date; code: VerdictCode; count: number }>();
  for (const { teamId, hour, counts } of records) {
    for (const { code, count } of counts) {
      const name = `${teamId} ${hour.getTime()} ${code}`;
      const sum = sums.get(name);
      if (sum === undefined) sums.set(name, { teamId, hour, code, count });
      else sum.count += count;
    }
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}

/** One row per key, because a statement can't change the same row twice. */
function lastUses(records: readonly UsageRecord[]): { keyId: string; lastUsedAt: Date }[] {
  const latest = new Map<string, Date>();
  for (const { keyId, lastUsedAt } of records) {
    const known = latest.get(keyId);
    if (lastUsedAt !== null && (known === undefined || known < lastUsedAt)) latest.set(keyId, lastUsedAt);
  }
  return [...latest].map(([keyId, lastUsedAt]) => ({ keyId, lastUsedAt }));
}
