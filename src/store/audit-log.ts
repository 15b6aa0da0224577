import type { AuditChange, AuditEntry } from '../domain/audit-entry.ts';
import type { PrismaClient } from './generated/sqlite/client.ts';
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

  constructor(reader: PrismaClient) {
    this.#reader = reader;
  }

  /** Newest first, in the order of changes and not of clocks. */
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
}
