import { join, type Sql, sqltag as sql } from '@prisma/client/runtime/client';
import type { AuditChange, AuditEntry } from '../domain/audit-entry.ts';
import type { BulkDialect } from './bulk-rows.ts';
import type { PrismaClient } from './generated/sqlite/client.ts';
import { jsonBytes } from './key-selection.ts';
import { askStore } from './unavailable.ts';

export interface AuditListing {
  readonly teamId: string;
  readonly keyId?: string | undefined;
  /** Only entries before this one. */
  readonly before?: bigint | undefined;
  readonly limit: number;
}

export class AuditLog {
  readonly #reader: PrismaClient;
  readonly #provider: BulkDialect;

  constructor(reader: PrismaClient, provider: BulkDialect) {
    this.#reader = reader;
    this.#provider = provider;
  }

  /** Newest first. Ordered by revision, because the clocks of instances differ. */
  async list({ teamId, keyId, before, limit }: AuditListing): Promise<AuditEntry[]> {
    const rows = await askStore(() =>
      this.#reader.auditEntry.findMany({
        where: {
          teamId,
          ...(keyId === undefined ? {} : { keyId }),
          ...(before === undefined ? {} : { revision: { lt: before } }),
        },
        orderBy: { revision: 'desc' },
        take: limit,
      }),
    );
    // `changes` is written by the change queue alone, from this very type.
    return rows.map((row) => ({ ...row, changes: row.changes as unknown as AuditChange[] }));
  }
  /** Returns the text size of each entry in bytes, without reading the texts. */
  async textBytes({ teamId, keyId, before, limit }: AuditListing): Promise<number[]> {
    const conditions: Sql[] = [sql`"teamId" = ${teamId}`];
    if (keyId !== undefined) conditions.push(sql`"keyId" = ${keyId}`);
    if (before !== undefined) conditions.push(sql`"revision" < ${before}`);
    const rows = await askStore(
      () => this.#reader.$queryRaw<{ readonly bytes: number | bigint }[]>`
        SELECT octet_length("actor") + ${jsonBytes(this.#provider, '"changes"')} AS "bytes"
        FROM "AuditEntry" WHERE ${join(conditions, ' AND ')} ORDER BY "revision" DESC LIMIT ${limit}`,
    );
    return rows.map(({ bytes }) => Number(bytes));
  }
}
