import type { KeyEnv } from '../../domain/key/key-env.ts';
import { type KeyDefaults, noDefaults } from '../../domain/policy/key-defaults.ts';
import { noRules, type PolicyRules } from '../../domain/policy/key-policy.ts';
import type { KeyPolicy, TeamPolicies } from '../../domain/policy/team-policies.ts';
import type { Load, RowWrite } from '../changes/change.ts';
import type { Prisma, PrismaClient } from '../generated/sqlite/client.ts';
import { queryStore } from '../unavailable.ts';

type StoredRules = PolicyRules & { readonly defaults: KeyDefaults };

const policyMoments = ['changedAt', 'enforceAfter'] as const;
type PolicyMoment = (typeof policyMoments)[number];

/** What is due: policies that were changed after `from`, until `to`, and those that are enforced until `enforcedUntil`. */
export interface PolicyWindow {
  readonly from: Date;
  readonly to: Date;
  readonly enforcedUntil: Date;
}

/** The place of a policy in what is due. */
export interface PolicyPosition extends Pick<KeyPolicy, 'teamId' | 'env'> {
  readonly by: PolicyMoment;
  readonly at: string;
}

export interface DuePolicy extends Omit<KeyPolicy, 'rules' | 'defaults'> {
  readonly position: PolicyPosition;
}

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

/** The rows are in the order of `live` and `test`. The first condition starts in the index. */
function isAfter({ by, at, teamId, env }: PolicyPosition): Prisma.KeyPolicyWhereInput {
  const rest = env === 'live' ? [{ [by]: at, teamId, env: 'test' as const }] : [];
  return { [by]: { gte: at }, OR: [{ [by]: { gt: at } }, { [by]: at, teamId: { gt: teamId } }, ...rest] };
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

  /**
   * Lists the policies with something to do in a window, each once: by the index of their change, then by that of their
   * enforcement. Those that are enforced stay listed, because keys can violate them later.
   */
  async due(window: PolicyWindow, after: PolicyPosition | null, limit: number): Promise<DuePolicy[]> {
    const due: DuePolicy[] = [];
    for (const by of policyMoments.slice(after === null ? 0 : policyMoments.indexOf(after.by))) {
      const position = after?.by === by ? after : null;
      due.push(...(await this.#dueBy(by, window, position, limit - due.length)));
      if (due.length >= limit) break;
    }
    return due;
  }

  async #dueBy(by: PolicyMoment, window: PolicyWindow, after: PolicyPosition | null, take: number) {
    const { from, to, enforcedUntil } = window;
    const changedAt = { gt: from, lte: to };
    const isDue = by === 'changedAt' ? { changedAt } : { enforceAfter: { lte: enforcedUntil }, NOT: { changedAt } };
    const where = after === null ? isDue : { AND: [isDue, isAfter(after)] };
    const orderBy = [{ [by]: 'asc' as const }, { teamId: 'asc' as const }, { env: 'asc' as const }];
    const select = { teamId: true, env: true, enforceAfter: true, changedAt: true };
    const rows = await queryStore(() => this.#reader.keyPolicy.findMany({ where, orderBy, take, select }));
    return rows.map((row): DuePolicy => {
      // `enforceAfter` is selected by a comparison, which null never meets.
      const at = (row[by] ?? row.changedAt).toISOString();
      return { ...row, position: { by, at, teamId: row.teamId, env: row.env } };
    });
  }

  async findAll(teamIds: readonly string[]): Promise<ReadonlyMap<string, TeamPolicies>> {
    return await queryStore(() => policiesOf(this.#reader, teamIds));
  }
}
