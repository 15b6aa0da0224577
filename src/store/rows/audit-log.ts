import { join, type Sql, sqltag as sql } from '@prisma/client/runtime/client';
import type { AuditAction, AuditChange, AuditEntry } from '../../domain/audit-entry.ts';
import type { BulkDialect } from '../changes/bulk-rows.ts';
import type { PrismaClient } from '../generated/sqlite/client.ts';
import { askStore } from '../unavailable.ts';
import { jsonBytes } from './key-selection.ts';

export interface AuditListing {
  readonly teamId: string;
  readonly keyId?: string | undefined;
  readonly actions?: readonly AuditAction[] | undefined;
  readonly actor?: string | undefined;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  /** Only entries before this one. */
  readonly before?: bigint | undefined;
  /** Only this entry and those after it. */
  readonly last?: bigint | undefined;
  readonly limit: number;
}

export type AuditSelection = Omit<AuditListing, 'last' | 'limit'>;

/** The maximum number of entries that are read for one page of entries that meet conditions. */
export const maxScannedEntries = 5000;

export class AuditLog {
  readonly #reader: PrismaClient;
  readonly #provider: BulkDialect;

  constructor(reader: PrismaClient, provider: BulkDialect) {
    this.#reader = reader;
    this.#provider = provider;
  }

  /** Newest first. Ordered by revision, because the clocks of instances differ. */
  async list(listing: AuditListing): Promise<AuditEntry[]> {
    const where = { ...trailOf(listing), ...conditionsOf(listing) };
    const rows = await askStore(() =>
      this.#reader.auditEntry.findMany({ where, orderBy: { revision: 'desc' }, take: listing.limit }),
    );
    // `changes` is written by the change queue alone, from this very type.
    return rows.map((row) => ({ ...row, changes: row.changes as unknown as AuditChange[] }));
  }

  /**
   * Returns where to stop reading entries for one page of those that meet the conditions; null if the trail ends before.
   * Without a limit, a page that nothing matches would read the whole trail.
   */
  async lastToScan(selection: AuditSelection): Promise<bigint | null> {
    const trail = { where: trailOf(selection), select: { revision: true }, orderBy: { revision: 'desc' as const } };
    const entry = await askStore(() => this.#reader.auditEntry.findFirst({ ...trail, skip: maxScannedEntries - 1 }));
    return entry?.revision ?? null;
  }

  /** Returns the text size of each entry in bytes, without reading the texts. */
  async textBytes(listing: AuditListing): Promise<number[]> {
    const { teamId, keyId, actions, actor, from, to, before, last, limit } = listing;
    const conditions: Sql[] = [sql`"teamId" = ${teamId}`];
    if (keyId !== undefined) conditions.push(sql`"keyId" = ${keyId}`);
    if (actions !== undefined) conditions.push(sql`CAST("action" AS TEXT) IN (${join(actions)})`);
    if (actor !== undefined) conditions.push(sql`"actor" = ${actor}`);
    if (from !== undefined) conditions.push(sql`"at" >= ${from}`);
    if (to !== undefined) conditions.push(sql`"at" < ${to}`);
    if (before !== undefined) conditions.push(sql`"revision" < ${before}`);
    if (last !== undefined) conditions.push(sql`"revision" >= ${last}`);
    const rows = await askStore(
      () => this.#reader.$queryRaw<{ readonly bytes: number | bigint }[]>`
        SELECT octet_length("actor") + ${jsonBytes(this.#provider, '"changes"')} AS "bytes"
        FROM "AuditEntry" WHERE ${join(conditions, ' AND ')} ORDER BY "revision" DESC LIMIT ${limit}`,
    );
    return rows.map(({ bytes }) => Number(bytes));
  }
}

function trailOf({ teamId, keyId, before, last }: Omit<AuditListing, 'limit'>) {
  const revision = {
    ...(before === undefined ? {} : { lt: before }),
    ...(last === undefined ? {} : { gte: last }),
  };
  return { teamId, ...(keyId === undefined ? {} : { keyId }), revision };
}

function conditionsOf({ actions, actor, from, to }: AuditSelection) {
  const at = { ...(from === undefined ? {} : { gte: from }), ...(to === undefined ? {} : { lt: to }) };
  return {
    ...(actions === undefined ? {} : { action: { in: [...actions] } }),
    ...(actor === undefined ? {} : { actor }),
    ...(from === undefined && to === undefined ? {} : { at }),
  };
}
