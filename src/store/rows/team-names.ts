import { sortable } from '../../domain/folded-text.ts';
import type { ChangeQueue } from '../changes/change-queue.ts';
import type { PrismaClient } from '../generated/sqlite/client.ts';
import { queryStore } from '../unavailable.ts';

export interface TeamName {
  readonly id: string;
  readonly name: string;
}

/** The names that the operator gave to teams. */
export class TeamNames {
  readonly #reader: PrismaClient;
  readonly #changes: ChangeQueue;

  constructor(reader: PrismaClient, changes: ChangeQueue) {
    this.#reader = reader;
    this.#changes = changes;
  }

  async find(ids: readonly string[]): Promise<Map<string, string>> {
    const rows = await queryStore(() => this.#reader.team.findMany({ where: { id: { in: [...ids] } } }));
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  /** Returns them in the order of lists of keys by name. */
  async list(): Promise<TeamName[]> {
    const rows = await queryStore(() => this.#reader.team.findMany({ orderBy: { id: 'asc' } }));
    // Compares bytes, because the order of UTF-16 is another one.
    const sorted = rows.map((row) => ({ row, by: Buffer.from(sortable(row.name)) }));
    return sorted.sort((a, b) => Buffer.compare(a.by, b.by)).map(({ row }) => row);
  }

  async set({ id, name }: TeamName): Promise<void> {
    await this.#changes.housekeep(async (transaction) => {
      await transaction.team.upsert({ where: { id }, create: { id, name }, update: { name } });
    });
  }

  async remove(id: string): Promise<void> {
    await this.#changes.housekeep(async (transaction) => {
      await transaction.team.deleteMany({ where: { id } });
    });
  }
}
