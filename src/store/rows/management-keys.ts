import type { GrantablePermission, ManagementKey } from '../../domain/access/management-key.ts';
import type { TeamPolicies } from '../../domain/policy/team-policies.ts';
import type { Load, RowWrite } from '../changes/change.ts';
import type { Prisma, PrismaClient } from '../generated/sqlite/client.ts';
import { queryStore } from '../unavailable.ts';
import { policiesOf } from './key-policies.ts';
import type { FoundSecret } from './keys.ts';

type Row = Prisma.ManagementKeyGetPayload<object>;

/** For a change of a management key. Null if it does not exist. */
export function managementKeyWithId(id: string): Load<ManagementKey | null> {
  return { read: (client) => managementKeyIn(client, id) };
}

export async function managementKeyIn(
  { managementKey }: Pick<Prisma.TransactionClient, 'managementKey'>,
  id: string,
): Promise<ManagementKey | null> {
  const row = await managementKey.findUnique({ where: { id } });
  return row === null ? null : managementKeyFromRow(row);
}

export interface ManagementKeyRules {
  /** The number of unrevoked management keys that the team has. */
  readonly count: number;
  readonly policies: TeamPolicies | undefined;
}

/** For a new management key. */
export function managementKeyRules(teamId: string): Load<ManagementKeyRules> {
  return {
    read: async (client) => ({
      count: await client.managementKey.count({ where: { teamId, revokedAt: null } }),
      policies: (await policiesOf(client, [teamId])).get(teamId),
    }),
  };
}

export function insertManagementKey(key: ManagementKey): RowWrite {
  const data = rowFrom(key);
  return ({ transaction }) => transaction.managementKey.create({ data });
}

export function writeManagementKey(key: ManagementKey): RowWrite {
  const { id, ...data } = rowFrom(key);
  return ({ transaction }) => transaction.managementKey.update({ where: { id }, data });
}

/** The management keys of teams. */
export class ManagementKeys {
  readonly #reader: PrismaClient;

  constructor(reader: PrismaClient) {
    this.#reader = reader;
  }

  async find(id: string): Promise<ManagementKey | null> {
    return await queryStore(() => managementKeyIn(this.#reader, id));
  }

  /**
   * Finds the key that has, or last had, one of the digests. These are two reads, each by an index, because PostgreSQL may
   * read the whole table for an OR. A rotation between them moves a digest from the first to the second, so none is missed.
   */
  async findByDigests(digests: readonly string[]): Promise<ManagementKey | null> {
    const { managementKey } = this.#reader;
    const among = { in: [...digests] };
    const row = await queryStore(
      async () =>
        (await managementKey.findFirst({ where: { digest: among } })) ??
        (await managementKey.findFirst({ where: { previousDigest: among } })),
    );
    return row === null ? null : managementKeyFromRow(row);
  }

  /** Returns the secrets that management keys have, or had last. Each is read by an index. */
  async findSecrets(digests: readonly string[]): Promise<FoundSecret[]> {
    const { managementKey } = this.#reader;
    const among = { in: [...digests] };
    const current = await queryStore(() => managementKey.findMany({ where: { digest: among } }));
    const previous = await queryStore(() => managementKey.findMany({ where: { previousDigest: among } }));
    return [
      ...current.map(({ id, teamId, digest, secretVersion }) => ({
        digest,
        keyId: id,
        teamId,
        version: secretVersion,
      })),
      ...previous.flatMap(({ id, teamId, previousDigest: digest, secretVersion }) =>
        digest === null ? [] : [{ digest, keyId: id, teamId, version: secretVersion - 1 }],
      ),
    ];
  }

  /** Lists the keys of a team, newest first: those that are not revoked, and then the last revoked ones. */
  async list(teamId: string, maxRevoked: number): Promise<ManagementKey[]> {
    const { managementKey } = this.#reader;
    const rows = await queryStore(async () => [
      ...(await managementKey.findMany({ where: { teamId, revokedAt: null }, orderBy: { createdAt: 'desc' } })),
      ...(await managementKey.findMany({
        where: { teamId, revokedAt: { not: null } },
        orderBy: { revokedAt: 'desc' },
        take: maxRevoked,
      })),
    ]);
    return rows.map(managementKeyFromRow);
  }

  /** Returns the teams of keys, by the id of the key. */
  async teams(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const query = { where: { id: { in: [...ids] } }, select: { id: true, teamId: true } };
    const rows = await queryStore(() => this.#reader.managementKey.findMany(query));
    return new Map(rows.map(({ id, teamId }) => [id, teamId]));
  }

  /** Lists the keys that require signed calls, ordered by id. `after` is the last id of the previous page. */
  async sealed(after: string | null, limit: number): Promise<ManagementKey[]> {
    const where = { signingEnvelope: { not: null }, ...(after === null ? {} : { id: { gt: after } }) };
    const query = { where, orderBy: { id: 'asc' }, take: limit } as const;
    return (await queryStore(() => this.#reader.managementKey.findMany(query))).map(managementKeyFromRow);
  }

  async count(teamId: string): Promise<number> {
    return await queryStore(() => this.#reader.managementKey.count({ where: { teamId, revokedAt: null } }));
  }
}

function rowFrom({ permissions, allowedIps, ...key }: ManagementKey) {
  return { ...key, permissions: [...permissions], allowedIps: [...allowedIps] };
}

function managementKeyFromRow({ permissions, allowedIps, ...row }: Row): ManagementKey {
  if (!Array.isArray(permissions) || !Array.isArray(allowedIps)) {
    throw new Error(`a list of the management key ${row.id} is not a list`);
  }
  // Only `rowFrom` writes these columns.
  return { ...row, permissions: permissions as GrantablePermission[], allowedIps: allowedIps as string[] };
}
