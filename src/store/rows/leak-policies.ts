import type { LeakPolicy } from '../../domain/leak.ts';
import type { ChangeQueue } from '../changes/change-queue.ts';
import type { NewEntry } from '../changes/log.ts';
import { changeLogged } from '../changes/logged-change.ts';
import type { Prisma, PrismaClient } from '../generated/sqlite/client.ts';
import { queryStore } from '../unavailable.ts';

export interface LeakPolicyDecision {
  readonly answer: LeakPolicy;
  /** Absent if the policy stays as it is. */
  readonly write?: LeakPolicy;
  readonly entries?: readonly NewEntry[];
}

/** What happens to the leaked keys of each team that has chosen it. */
export class LeakPolicies {
  readonly #reader: PrismaClient;
  readonly #changes: ChangeQueue;

  constructor(reader: PrismaClient, changes: ChangeQueue) {
    this.#reader = reader;
    this.#changes = changes;
  }

  async find(teamId: string): Promise<LeakPolicy | null> {
    return await queryStore(() => policyOf(this.#reader, teamId));
  }

  /** Decides on the current policy (null: none is chosen) and writes it with its entry in the log. */
  async change(teamId: string, decide: (policy: LeakPolicy | null) => LeakPolicyDecision): Promise<LeakPolicy> {
    return await changeLogged(this.#changes, teamId, {
      load: (transaction) => policyOf(transaction, teamId),
      decide,
      write: async ({ transaction }, { write: policy }) => {
        if (policy === undefined) return;
        await transaction.leakPolicy.upsert({ where: { teamId }, create: { teamId, policy }, update: { policy } });
      },
    });
  }
}

async function policyOf(client: Pick<Prisma.TransactionClient, 'leakPolicy'>, teamId: string) {
  const row = await client.leakPolicy.findUnique({ where: { teamId } });
  // Only `change` writes the column.
  return row === null ? null : (row.policy as LeakPolicy);
}
