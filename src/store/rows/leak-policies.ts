import type { LeakPolicy } from '../../domain/leak.ts';
import type { Load, RowWrite } from '../changes/change.ts';
import type { Prisma, PrismaClient } from '../generated/sqlite/client.ts';
import { queryStore } from '../unavailable.ts';

/** For a change of a team's policy. Null if none is chosen. */
export function leakPolicyOf(teamId: string): Load<LeakPolicy | null> {
  return { read: (client) => policyIn(client, teamId) };
}

export function writeLeakPolicy(teamId: string, policy: LeakPolicy): RowWrite {
  const row = { where: { teamId }, create: { teamId, policy }, update: { policy } };
  return ({ transaction }) => transaction.leakPolicy.upsert(row);
}

/** What happens to the leaked keys of each team that has chosen it. */
export class LeakPolicies {
  readonly #reader: PrismaClient;

  constructor(reader: PrismaClient) {
    this.#reader = reader;
  }

  async find(teamId: string): Promise<LeakPolicy | null> {
    return await queryStore(() => policyIn(this.#reader, teamId));
  }
}

export async function policyIn(client: Pick<Prisma.TransactionClient, 'leakPolicy'>, teamId: string) {
  const row = await client.leakPolicy.findUnique({ where: { teamId } });
  // Only `writeLeakPolicy` writes the column.
  return row === null ? null : (row.policy as LeakPolicy);
}
