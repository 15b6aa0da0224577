import type { LeakPolicy } from '../../domain/leak.ts';
import type { ChangeQueue } from '../changes/change-queue.ts';
import { appendEntries, type NewEntry, takeRevisions } from '../changes/log.ts';
import type { PrismaClient } from '../generated/sqlite/client.ts';
import { queryStore } from '../unavailable.ts';

/** What happens to the leaked keys of each team that has chosen it. */
export class LeakPolicies {
  readonly #reader: PrismaClient;
  readonly #changes: ChangeQueue;

  constructor(reader: PrismaClient, changes: ChangeQueue) {
    this.#reader = reader;
    this.#changes = changes;
  }

  async find(teamId: string): Promise<LeakPolicy | null> {
    const row = await queryStore(() => this.#reader.leakPolicy.findUnique({ where: { teamId } }));
    // Only `set` writes the column.
    return row === null ? null : (row.policy as LeakPolicy);
  }

  /** Writes the policy and its entry in the log together. */
  async set(teamId: string, policy: LeakPolicy, entry: NewEntry): Promise<void> {
    const turn = { holder: teamId };
    await this.#changes.perform(async (transaction, bulk) => {
      const before = await takeRevisions(bulk, 1);
      await transaction.leakPolicy.upsert({ where: { teamId }, create: { teamId, policy }, update: { policy } });
      await appendEntries(bulk, before, [entry]);
    }, turn);
  }
}
