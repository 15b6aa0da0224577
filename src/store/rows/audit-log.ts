import { join, raw, type Sql, sqltag as sql } from '@prisma/client/runtime/client';
import type { AuditAction, AuditEntry } from '../../domain/audit-entry.ts';
import type { DatabaseProvider } from '../../lib/database-address.ts';
import { auditTable } from '../changes/bulk-rows.ts';
import type { Prisma, PrismaClient } from '../generated/sqlite/client.ts';
import { queryStore } from '../unavailable.ts';
import { entryFromRow } from './audit-rows.ts';
import { jsonBytes } from './key-selection.ts';

type Row = Prisma.AuditEntryGetPayload<object>;

export interface AuditSelection {
  readonly teamId: string;
  readonly keyId?: string | null | undefined;
  readonly actions?: readonly AuditAction[] | null | undefined;
  readonly actor?: string | null | undefined;
  readonly from?: Date | null | undefined;
  readonly to?: Date | null | undefined;
  readonly before?: bigint | null | undefined;
}

export interface AuditListing extends AuditSelection {
  readonly last?: bigint | null | undefined;
  readonly limit: number;
  readonly offset?: number;
}

/** The maximum number of entries that are read for one page with conditions. */
export const maxScannedEntries = 5000;

export const entryColumns = raw(auditTable.columns.map((column) => `"${column}"`).join(', '));
/** SQL for what happened, also in entries whose kind has no value in the column `action`. */
export const entryAction = raw('COALESCE("event", CAST("action" AS TEXT))');

/** SQL for the size of an entry's texts in bytes. */
export function entryBytes(provider: DatabaseProvider): Sql {
  const details = sql`COALESCE(${jsonBytes(provider, '"details"')}, 0)`;
  return sql`octet_length("actor") + ${jsonBytes(provider, '"changes"')} + ${details}`;
}

/** The place of an entry in the log, and what it is about, without its texts. */
export type EntryHead = Pick<AuditEntry, 'revision' | 'action' | 'keyId' | 'teamId' | 'at'>;

/** Named like the fields of `EntryHead`. Dates are texts on SQLite. */
interface HeadRow {
  readonly revision: bigint;
  readonly action: AuditAction;
  readonly keyId: string;
  readonly teamId: string;
  readonly at: Date | string;
}

const headColumns = sql`"revision", ${entryAction} AS "action", "keyId", "teamId", "at"`;

export class AuditLog {
  readonly #reader: PrismaClient;
  readonly #provider: DatabaseProvider;

  constructor(reader: PrismaClient, provider: DatabaseProvider) {
    this.#reader = reader;
    this.#provider = provider;
  }

  /** Lists entries, newest first. The order is by revision, because the clocks of instances differ. */
  async list(listing: AuditListing): Promise<AuditEntry[]> {
    const rows = await this.#select<Row>(entryColumns, listing);
    return rows.map(entryFromRow);
  }

  /** Returns the revision of the last entry to read for one page with conditions; null if the audit log ends before. */
  async lastToScan({ teamId, keyId, before }: AuditSelection): Promise<bigint | null> {
    const entries = { teamId, keyId, before, limit: 1, offset: maxScannedEntries - 1 };
    const [last] = await this.#select<{ readonly revision: bigint }>(raw('"revision"'), entries);
    return last?.revision ?? null;
  }

  /** Returns the text size of each entry in bytes, without reading the texts. */
  async textBytes(listing: AuditListing): Promise<number[]> {
    const bytes = sql`${entryBytes(this.#provider)} AS "bytes"`;
    const rows = await this.#select<{ readonly bytes: number | bigint }>(bytes, listing);
    return rows.map((row) => Number(row.bytes));
  }

  /** Returns the revision of the last change or entry, committed at the time of the call. */
  async lastRevision(): Promise<bigint> {
    const { current } = await queryStore(() => this.#reader.revision.findUniqueOrThrow({ where: { id: 1 } }));
    return current;
  }

  /** Returns the entries of all teams after a revision, oldest first. */
  async after(revision: bigint, limit: number): Promise<AuditEntry[]> {
    const rows = await queryStore(
      () => this.#reader.$queryRaw<Row[]>`
        SELECT ${entryColumns} FROM "AuditEntry" WHERE "revision" > ${revision} ORDER BY "revision" LIMIT ${limit}`,
    );
    return rows.map(entryFromRow);
  }

  /** Like `after`, of one team or of all, without the texts, so that many entries can be read at once. */
  async headsAfter(revision: bigint, limit: number, teamId?: string): Promise<EntryHead[]> {
    const ofTeam = teamId === undefined ? sql`` : sql`AND "teamId" = ${teamId}`;
    const rows = await queryStore(
      () => this.#reader.$queryRaw<HeadRow[]>`
        SELECT ${headColumns} FROM "AuditEntry" WHERE "revision" > ${revision} ${ofTeam} ORDER BY "revision" LIMIT ${limit}`,
    );
    return rows.map(({ revision: position, at, ...head }) => ({
      ...head,
      revision: BigInt(position),
      at: new Date(at),
    }));
  }

  /** Returns entries by their revisions, in any order. */
  async find(revisions: readonly bigint[]): Promise<AuditEntry[]> {
    if (revisions.length === 0) return [];
    const rows = await queryStore(
      () => this.#reader.$queryRaw<Row[]>`
        SELECT ${entryColumns} FROM "AuditEntry" WHERE "revision" IN (${join(revisions)})`,
    );
    return rows.map(entryFromRow);
  }

  async #select<Row>(values: Sql, { limit, offset = 0, ...listing }: AuditListing): Promise<Row[]> {
    const { teamId, keyId, actions, actor, from, to, before, last } = listing;
    const conditions: Sql[] = [sql`"teamId" = ${teamId}`];
    if (keyId != null) conditions.push(sql`"keyId" = ${keyId}`);
    if (actions != null) conditions.push(sql`${entryAction} IN (${join(actions)})`);
    if (actor != null) conditions.push(sql`"actor" = ${actor}`);
    if (from != null) conditions.push(sql`"at" >= ${from}`);
    if (to != null) conditions.push(sql`"at" < ${to}`);
    if (before != null) conditions.push(sql`"revision" < ${before}`);
    if (last != null) conditions.push(sql`"revision" >= ${last}`);
    return await queryStore(
      () => this.#reader.$queryRaw<Row[]>`
        SELECT ${values} FROM "AuditEntry" WHERE ${join(conditions, ' AND ')}
        ORDER BY "revision" DESC LIMIT ${limit} OFFSET ${offset}`,
    );
  }
}
