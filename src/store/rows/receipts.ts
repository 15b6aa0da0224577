import type { VerifierState } from '../../wire/control-plane.ts';
import { answeredTable, verifierTable } from '../changes/bulk-rows.ts';
import type { ChangeQueue } from '../changes/change-queue.ts';
import type { PrismaClient } from '../generated/sqlite/client.ts';
import { queryStore } from '../unavailable.ts';

export interface AnsweredChange {
  readonly revision: bigint;
  readonly answeredAt: Date;
}

export interface StoredVerifier extends Omit<VerifierState, 'revision'> {
  readonly revision: bigint;
}

const turn = { holder: 'receipts' };

/** What receipts state: when changes were answered, and what verifiers have confirmed. */
export class Receipts {
  readonly #reader: PrismaClient;
  readonly #changes: Pick<ChangeQueue, 'housekeep'>;

  constructor(reader: PrismaClient, changes: Pick<ChangeQueue, 'housekeep'>) {
    this.#reader = reader;
    this.#changes = changes;
  }

  async addAnswered(changes: readonly AnsweredChange[]): Promise<void> {
    await this.#changes.housekeep((_, bulk) => bulk.insert(answeredTable, changes), turn);
  }

  /** Replaces what is stored of these verifiers. */
  async addVerifiers(verifiers: readonly VerifierState[]): Promise<void> {
    await this.#changes.housekeep((_, bulk) => bulk.insert(verifierTable, verifiers), turn);
  }

  /** Returns null for a change that was not recorded as answered. */
  async answeredAt(revision: bigint): Promise<Date | null> {
    const row = await queryStore(() => this.#reader.answeredChange.findUnique({ where: { revision } }));
    return row?.answeredAt ?? null;
  }

  /** Lists the verifiers that were heard of since a time, in any order: `limit` at most. */
  async verifiers(since: Date, limit: number): Promise<StoredVerifier[]> {
    const where = { seenAt: { gte: since } };
    const rows = await queryStore(() =>
      this.#reader.verifier.findMany({ where, orderBy: { seenAt: 'desc' }, take: limit }),
    );
    // Only `addVerifiers` writes the column.
    return rows.map((row) => ({ ...row, kind: row.kind as VerifierState['kind'] }));
  }
}
