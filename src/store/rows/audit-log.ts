import { join, type Sql, sqltag as sql } from '@prisma/client/runtime/client';
import type { AuditAction, AuditChange, AuditEntry } from '../../domain/audit-entry.ts';
import type { BulkDialect } from '../changes/bulk-rows.ts';
import type { PrismaClient } from '../generated/sqlite/client.ts';
import { queryStore } from '../unavailable.ts';
import { jsonBytes } from './key-selection.ts';

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
}

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
  async list({ limit, ...listing }: AuditListing): Promise<AuditEntry[]> {
    const rows = await queryStore(() =>
      this.#reader.auditEntry.findMany({ where: whereOf(listing), orderBy: { revision: 'desc' }, take: limit }),
    );
    // `changes` is written by the change queue alone, from this very type.
    return rows.map((row) => ({ ...row, changes: row.changes as unknown as AuditChange[] }));
  }

  /** Returns the last entry to read for one page, whatever matches; null if the trail ends before. */
  async lastToScan({ teamId, keyId, before }: AuditSelection): Promise<bigint | null> {
    const where = whereOf({ teamId, keyId, before });
    const entry = await queryStore(() =>
      this.#reader.auditEntry.findFirst({
        where,
        select: { revision: true },
        orderBy: { revision: 'desc' },
        skip: maxScannedEntries - 1,
      }),
    );
    return entry?.revision ?? null;
  }

  /** Returns the text size of each entry in bytes, without reading the texts. */
  async textBytes(listing: AuditListing): Promise<number[]> {
    const { teamId, keyId, actions, actor, from, to, before, last, limit } = listing;
    const conditions: Sql[] = [sql`"teamId" = ${teamId}`];
    if (keyId != null) conditions.push(sql`"keyId" = ${keyId}`);
    if (actions != null) conditions.push(sql`CAST("action" AS TEXT) IN (${join(actions)})`);
    if (actor != null) conditions.push(sql`"actor" = ${actor}`);
    if (from != null) conditions.push(sql`"at" >= ${from}`);
    if (to != null) conditions.push(sql`"at" < ${to}`);
    if (before != null) conditions.push(sql`"revision" < ${before}`);
    if (last != null) conditions.push(sql`"revision" >= ${last}`);
    const rows = await queryStore(
      () => this.#reader.$queryRaw<{ readonly bytes: number | bigint }[]>`
        SELECT octet_length("actor") + ${jsonBytes(this.#provider, '"changes"')} AS "bytes"
        FROM "AuditEntry" WHERE ${join(conditions, ' AND ')} ORDER BY "revision" DESC LIMIT ${limit}`,
    );
    return rows.map(({ bytes }) => Number(bytes));
  }
}

/** Absent conditions must be undefined for Prisma: null would compare with NULL. */
function whereOf({ teamId, keyId, actions, actor, from, to, before, last }: Omit<AuditListing, 'limit'>) {
  const given = {
    ...(keyId == null ? {} : { keyId }),
    ...(actions == null ? {} : { action: { in: [...actions] } }),
    ...(actor == null ? {} : { actor }),
  };
  const at = { ...(from == null ? {} : { gte: from }), ...(to == null ? {} : { lt: to }) };
  const revision = { ...(before == null ? {} : { lt: before }), ...(last == null ? {} : { gte: last }) };
  return { teamId, ...given, at, revision };
}
