import type { GrantablePermission } from '../../domain/access/management-key.ts';
import type { TrustRule } from '../../domain/access/trust-rule.ts';
import type { Load, RowWrite } from '../changes/change.ts';
import type { Prisma, PrismaClient } from '../generated/sqlite/client.ts';
import { queryStore } from '../unavailable.ts';

type Row = Prisma.TrustRuleGetPayload<object>;

/** For the removal of a rule. Null if it does not exist. */
export function trustRuleWithId(id: string): Load<TrustRule | null> {
  return {
    read: async ({ trustRule }) => {
      const row = await trustRule.findUnique({ where: { id } });
      return row === null ? null : ruleFromRow(row);
    },
  };
}

/** For a new rule: the number of those that the team has. */
export function trustRuleCount(teamId: string): Load<number> {
  return { read: ({ trustRule }) => trustRule.count({ where: { teamId } }) };
}

export function insertTrustRule({ claims, permissions, ...rule }: TrustRule): RowWrite {
  const data = { ...rule, claims: { ...claims }, permissions: [...permissions] };
  return ({ transaction }) => transaction.trustRule.create({ data });
}

/** Removes a rule and when it was last used, which an instance may write once more within a second. */
export function removeTrustRule(id: string): RowWrite {
  return async ({ transaction }) => {
    await transaction.keyUsage.deleteMany({ where: { keyId: id } });
    await transaction.trustRule.delete({ where: { id } });
  };
}

/** The trust rules of teams. */
export class TrustRules {
  readonly #reader: PrismaClient;

  constructor(reader: PrismaClient) {
    this.#reader = reader;
  }

  async find(id: string): Promise<TrustRule | null> {
    const row = await queryStore(() => this.#reader.trustRule.findUnique({ where: { id } }));
    return row === null ? null : ruleFromRow(row);
  }

  /** Lists the rules of a team, oldest first. */
  async list(teamId: string): Promise<TrustRule[]> {
    const orderBy = [{ createdAt: 'asc' as const }, { id: 'asc' as const }];
    const rows = await queryStore(() => this.#reader.trustRule.findMany({ where: { teamId }, orderBy }));
    return rows.map(ruleFromRow);
  }

  async count(teamId: string): Promise<number> {
    return await queryStore(() => this.#reader.trustRule.count({ where: { teamId } }));
  }
}

function ruleFromRow({ claims, permissions, ...row }: Row): TrustRule {
  // Only `insertTrustRule` writes these columns.
  return { ...row, claims: claims as TrustRule['claims'], permissions: permissions as GrantablePermission[] };
}
