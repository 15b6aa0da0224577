import type { KeyEnv } from '../../domain/key/key-env.ts';
import { type KeyDefaults, noDefaults } from '../../domain/policy/key-defaults.ts';
import { noRules, type PolicyRules } from '../../domain/policy/key-policy.ts';
import type { KeyPolicy, TeamPolicies } from '../../domain/policy/team-policies.ts';
import type { Load, RowWrite } from '../changes/change.ts';
import type { Prisma, PrismaClient } from '../generated/sqlite/client.ts';
import { queryStore } from '../unavailable.ts';

type StoredRules = PolicyRules & { readonly defaults: KeyDefaults };

type Client = Pick<Prisma.TransactionClient, 'keyPolicy'>;

/** For a change of a policy. Null if there is none. */
export function keyPolicyOf(teamId: string, env: KeyEnv): Load<KeyPolicy | null> {
  return { read: async (client) => (await policiesOf(client, [teamId])).get(teamId)?.[env] ?? null };
}

/** Lets creations and changes of keys look for policies from now on, in the transaction that writes the first one. */
export function writeKeyPolicy({ teamId, env, rules, defaults, enforceAfter, changedAt }: KeyPolicy): RowWrite {
  const data = { rules: { ...rules, defaults } as unknown as Prisma.InputJsonObject, enforceAfter, changedAt };
  return async ({ transaction }) => {
    await transaction.keyPolicy.upsert({
      where: { teamId_env: { teamId, env } },
      create: { teamId, env, ...data },
      update: data,
    });
    await transaction.revision.update({ where: { id: 1 }, data: { policies: true } });
  };
}

/** Returns the policies of teams, by team. Teams without one are absent. */
export async function policiesOf(
  { keyPolicy }: Client,
  teamIds: readonly string[],
): Promise<ReadonlyMap<string, TeamPolicies>> {
  const rows = await keyPolicy.findMany({ where: { teamId: { in: [...teamIds] } } });
  const policies = new Map<string, TeamPolicies>();
  for (const row of rows) policies.set(row.teamId, { ...policies.get(row.teamId), [row.env]: policyFromRow(row) });
  return policies;
}

function policyFromRow({ rules, ...row }: Prisma.KeyPolicyGetPayload<object>): KeyPolicy {
  // Only `writeKeyPolicy` writes the column. Rules of later versions are absent in rows of earlier ones.
  const { defaults, ...stored } = rules as unknown as Partial<StoredRules>;
  return { ...row, rules: { ...noRules, ...stored }, defaults: { ...noDefaults, ...defaults } };
}

/** The policies of all teams that have one. */
export class KeyPolicies {
  readonly #reader: PrismaClient;

  constructor(reader: PrismaClient) {
    this.#reader = reader;
  }

  async find(teamId: string): Promise<TeamPolicies> {
    return (await this.findAll([teamId])).get(teamId) ?? {};
  }

  /** Lists the policies after a position, in the order of teams. */
  async page(after: Pick<KeyPolicy, 'teamId' | 'env'> | null, limit: number): Promise<KeyPolicy[]> {
    const rest = after?.env === 'live' ? [{ teamId: after.teamId, env: 'test' as const }] : [];
    const where = after === null ? {} : { OR: [{ teamId: { gt: after.teamId } }, ...rest] };
    const orderBy = [{ teamId: 'asc' as const }, { env: 'asc' as const }];
    return (await queryStore(() => this.#reader.keyPolicy.findMany({ where, orderBy, take: limit }))).map(
      policyFromRow,
    );
  }

  async findAll(teamIds: readonly string[]): Promise<ReadonlyMap<string, TeamPolicies>> {
    return await queryStore(() => policiesOf(this.#reader, teamIds));
  }
}
