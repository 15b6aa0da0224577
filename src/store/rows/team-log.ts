import { join, type Sql, sqltag as sql } from '@prisma/client/runtime/client';
import type { AuditAction, AuditEntry } from '../../domain/audit-entry.ts';
import type { DatabaseProvider } from '../../lib/database-address.ts';
import type { Prisma, PrismaClient } from '../generated/sqlite/client.ts';
import { queryStore } from '../unavailable.ts';
import { entryAction, entryBytes, entryColumns, maxScannedEntries } from './audit-log.ts';
import { entryFromRow } from './audit-rows.ts';

/** Entries of a team after a revision. The caller limits how many entries are compared with the conditions. */
export interface LogRange {
  readonly teamId: string;
  readonly after: bigint;
  /** The revision of the last entry to read. */
  readonly last?: bigint | null | undefined;
  readonly actions?: readonly AuditAction[] | null | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

/** What is known of an entry without its texts, which can be long. */
export type LogPosition = Pick<AuditEntry, 'revision' | 'action' | 'keyId'>;

/** Dates are texts on SQLite. */
interface Moment {
  readonly revision: bigint;
  readonly at: Date | string;
}

const position = sql`"revision", ${entryAction} AS "action", "keyId"`;

/** A team's part of the log, in the order in which it was written. */
export class TeamLog {
  readonly #reader: PrismaClient;
  readonly #provider: DatabaseProvider;

  constructor(reader: PrismaClient, provider: DatabaseProvider) {
    this.#reader = reader;
    this.#provider = provider;
  }

  /** Returns the revision of the team's last entry; 0 if there is none. */
  async lastRevision(teamId: string): Promise<bigint> {
    const rows = await queryStore(
      () => this.#reader.$queryRaw<{ readonly revision: bigint }[]>`
        SELECT "revision" FROM "AuditEntry" WHERE "teamId" = ${teamId} ORDER BY "revision" DESC LIMIT 1`,
    );
    return rows[0]?.revision ?? 0n;
  }

  /** Returns the revision of the last entry to compare with conditions; null if the log ends before. */
  async lastToScan(teamId: string, after: bigint): Promise<bigint | null> {
    const page = { limit: 1, offset: maxScannedEntries - 1 };
    const [last] = await this.#select<Pick<AuditEntry, 'revision'>>(sql`"revision"`, { teamId, after }, page);
    return last?.revision ?? null;
  }

  /** Returns the text size in bytes of each of the first entries. */
  async textBytes(range: LogRange, limit: number): Promise<number[]> {
    const bytes = sql`${entryBytes(this.#provider)} AS "bytes"`;
    const rows = await this.#select<{ readonly bytes: number | bigint }>(bytes, range, { limit });
    return rows.map((row) => Number(row.bytes));
  }

  async list(range: LogRange, limit: number): Promise<AuditEntry[]> {
    const rows = await this.#select<Prisma.AuditEntryGetPayload<object>>(entryColumns, range, { limit });
    return rows.map(entryFromRow);
  }

  async positions(range: LogRange, limit: number): Promise<LogPosition[]> {
    return await this.#select<LogPosition>(position, range, { limit });
  }

  /** Returns the entries with these revisions. Omits entries of other teams. */
  async positionsAt(teamId: string, revisions: readonly bigint[]): Promise<LogPosition[]> {
    if (revisions.length === 0) return [];
    return await queryStore(
      () => this.#reader.$queryRaw<LogPosition[]>`
        SELECT ${position} FROM "AuditEntry"
        WHERE "teamId" = ${teamId} AND "revision" IN (${join(revisions)}) ORDER BY "revision"`,
    );
  }

  /**
   * Returns a revision before the first entry that was written at a time or later. Searches by halves, because the order
   * of times is that of revisions, except for the differences between the clocks of instances.
   */
  async positionBefore(teamId: string, time: Date): Promise<bigint> {
    let first = 0n;
    let end = (await this.lastRevision(teamId)) + 1n;
    while (first < end) {
      const middle = (first + end) / 2n;
      const [entry] = await this.#select<Moment>(sql`"revision", "at"`, { teamId, after: middle - 1n }, { limit: 1 });
      if (entry === undefined || new Date(entry.at) >= time) end = middle;
      else first = entry.revision + 1n;
    }
    return first - 1n;
  }

  async #select<Row>(
    values: Sql,
    { teamId, after, last, actions, from, to }: LogRange,
    { limit, offset = 0 }: { readonly limit: number; readonly offset?: number },
  ): Promise<Row[]> {
    const conditions: Sql[] = [sql`"teamId" = ${teamId}`, sql`"revision" > ${after}`];
    if (last != null) conditions.push(sql`"revision" <= ${last}`);
    if (actions != null) conditions.push(sql`${entryAction} IN (${join(actions)})`);
    if (from !== undefined) conditions.push(sql`"at" >= ${from}`);
    if (to !== undefined) conditions.push(sql`"at" < ${to}`);
    return await queryStore(
      () => this.#reader.$queryRaw<Row[]>`
        SELECT ${values} FROM "AuditEntry" WHERE ${join(conditions, ' AND ')}
        ORDER BY "revision" LIMIT ${limit} OFFSET ${offset}`,
    );
  }
}
