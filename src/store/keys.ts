import type { KeyEnv, KeyState, StoredKey } from '../domain/api-key.ts';
import { searchable } from '../domain/text.ts';
import type { Prisma, PrismaClient } from './generated/sqlite/client.ts';
import { keyFromRow } from './key-rows.ts';
import { askStore } from './unavailable.ts';

export type KeyOrderField = 'CREATED_AT' | 'NAME' | 'EXPIRES_AT';

/** Which keys of a team are meant: those that meet every condition. */
export interface KeySelection {
  readonly teamId: string;
  readonly env?: KeyEnv | undefined;
  readonly states: readonly KeyState[];
  readonly search?: string | undefined;
  readonly signingEnabled?: boolean | undefined;
  readonly expiresBefore?: Date | undefined;
  readonly neverUsed?: boolean | undefined;
  readonly unusedSince?: Date | undefined;
  /** What the states are told by. */
  readonly now: Date;
}

export interface KeyListing extends KeySelection {
  readonly orderBy: { readonly field: KeyOrderField; readonly direction: 'ASC' | 'DESC' };
  /** The position of the entry behind which to go on. */
  readonly after?: KeyPosition | undefined;
  readonly limit: number;
}

/** The value that a key is ordered by, and its id. */
export interface KeyPosition {
  readonly value: Date | string | null;
  readonly id: string;
}

export interface ListedKey {
  readonly key: StoredKey;
  readonly position: KeyPosition;
}

export interface SealedKey {
  readonly id: string;
  readonly envelope: string;
}

export interface OverviewBounds {
  readonly teamId: string;
  readonly now: Date;
  readonly soon: Date;
  readonly longAgo: Date;
}

/** How many keys of a team there are that are not revoked. All but `expired` count active ones. */
export interface KeysOverview {
  readonly active: number;
  readonly expired: number;
  /** Those that expire before `soon`. */
  readonly expiringSoon: number;
  readonly neverUsed: number;
  /** Those that were not used since `longAgo`, the never used among them. */
  readonly unusedFor90Days: number;
}

const columns = { CREATED_AT: 'createdAt', NAME: 'searchText', EXPIRES_AT: 'expiresAt' } as const;

export class Keys {
  readonly #reader: PrismaClient;

  constructor(reader: PrismaClient) {
    this.#reader = reader;
  }

  async find(id: string): Promise<StoredKey | null> {
    const row = await askStore(() => this.#reader.apiKey.findUnique({ where: { id } }));
    return row === null ? null : keyFromRow(row);
  }

  /** The keys that have one of these digests: several only where imported ones match the same secret. */
  async findByDigests(digests: readonly string[]): Promise<StoredKey[]> {
    const rows = await askStore(() => this.#reader.apiKey.findMany({ where: { digest: { in: [...digests] } } }));
    return rows.map(keyFromRow);
  }

  async findByPrefix(teamId: string, prefix: string): Promise<StoredKey | null> {
    const where = { prefix_teamId: { prefix, teamId } };
    const row = await askStore(() => this.#reader.apiKey.findUnique({ where }));
    return row === null ? null : keyFromRow(row);
  }

  /** The keys that demand signed requests, in the order of their ids; `after` is the last one that was seen. */
  async sealed(after: string | null, limit: number): Promise<SealedKey[]> {
    const rows = await askStore(() =>
      this.#reader.apiKey.findMany({
        where: { signingEnvelope: { not: null }, ...(after === null ? {} : { id: { gt: after } }) },
        select: { id: true, signingEnvelope: true },
        orderBy: { id: 'asc' },
        take: limit,
      }),
    );
    return rows.map(({ id, signingEnvelope }) => ({ id, envelope: signingEnvelope ?? '' }));
  }

  async list(listing: KeyListing): Promise<ListedKey[]> {
    const column = columns[listing.orderBy.field];
    const sort = listing.orderBy.direction === 'ASC' ? 'asc' : 'desc';
    const nulls = sort === 'asc' ? 'last' : 'first';
    const rows = await askStore(() =>
      this.#reader.apiKey.findMany({
        where: { AND: [...narrow(listing), ...behind(listing)] },
        orderBy: [{ [column]: column === 'expiresAt' ? { sort, nulls } : sort }, { id: sort }],
        take: listing.limit,
      }),
    );
    return rows.map((row) => ({ key: keyFromRow(row), position: { value: row[column], id: row.id } }));
  }

  /** In one pass over the keys, all of one moment. */
  async overview({ teamId, now, soon, longAgo }: OverviewBounds): Promise<KeysOverview> {
    const [counts] = await askStore(
      () => this.#reader.$queryRaw<Record<keyof KeysOverview, bigint>[]>`
        SELECT
          COUNT(*) FILTER (WHERE NOT "isExpired") AS "active",
          COUNT(*) FILTER (WHERE "isExpired") AS "expired",
          COUNT(*) FILTER (WHERE NOT "isExpired" AND "expiresAt" < ${soon}) AS "expiringSoon",
          COUNT(*) FILTER (WHERE NOT "isExpired" AND "lastUsedAt" IS NULL) AS "neverUsed",
          COUNT(*) FILTER (WHERE NOT "isExpired" AND ("lastUsedAt" IS NULL OR "lastUsedAt" < ${longAgo})) AS "unusedFor90Days"
        FROM (
          SELECT k."expiresAt", u."lastUsedAt", k."expiresAt" IS NOT NULL AND k."expiresAt" <= ${now} AS "isExpired"
          FROM "ApiKey" k LEFT JOIN "KeyUsage" u ON u."keyId" = k."id"
          WHERE k."teamId" = ${teamId} AND k."revokedAt" IS NULL
        ) unrevoked`,
    );
    if (counts === undefined) throw new Error('an aggregate always has one row');
    const { active, expired, expiringSoon, neverUsed, unusedFor90Days } = counts;
    return {
      active: Number(active),
      expired: Number(expired),
      expiringSoon: Number(expiringSoon),
      neverUsed: Number(neverUsed),
      unusedFor90Days: Number(unusedFor90Days),
    };
  }

  async count(selection: KeySelection): Promise<number> {
    return await askStore(() => this.#reader.apiKey.count({ where: { AND: narrow(selection) } }));
  }
}

function narrow({ teamId, env, search, signingEnabled, expiresBefore, ...more }: KeySelection) {
  const conditions: Prisma.ApiKeyWhereInput[] = [{ teamId }, inStates(more)];
  if (env !== undefined) conditions.push({ env });
  if (search !== undefined) conditions.push({ searchText: { contains: searchable(search) } });
  if (signingEnabled !== undefined) conditions.push({ signingEnvelope: signingEnabled ? { not: null } : null });
  if (expiresBefore !== undefined) conditions.push({ expiresAt: { lt: expiresBefore } });
  if (more.neverUsed !== undefined) conditions.push({ use: more.neverUsed ? { is: null } : { isNot: null } });
  // True as well where there is no use at all.
  if (more.unusedSince !== undefined) conditions.push({ use: { isNot: { lastUsedAt: { gte: more.unusedSince } } } });
  return conditions;
}

function inStates({ states, now }: Pick<KeySelection, 'states' | 'now'>): Prisma.ApiKeyWhereInput {
  const unrevoked: Prisma.ApiKeyWhereInput[] = [];
  if (states.includes('ACTIVE')) unrevoked.push({ OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] });
  if (states.includes('EXPIRED')) unrevoked.push({ expiresAt: { lte: now } });
  // Both of them: said without a condition on the expiry. All three: without any, so that the plain index serves.
  const kept: Prisma.ApiKeyWhereInput =
    unrevoked.length === 1 ? { revokedAt: null, ...unrevoked[0] } : { revokedAt: null };
  const revoked: Prisma.ApiKeyWhereInput = { revokedAt: { not: null } };
  if (unrevoked.length === 0) return revoked;
  if (!states.includes('REVOKED')) return kept;
  return unrevoked.length === 2 ? {} : { OR: [kept, revoked] };
}

/**
 * The entries behind a position, by keyset: no OFFSET, whose cost grows with the page's depth and which skips or
 * repeats entries when others come and go. The first condition bounds the index scan, the second is exact.
 */
function behind({ orderBy, after }: KeyListing): Prisma.ApiKeyWhereInput[] {
  if (after === undefined) return [];
  const column = columns[orderBy.field];
  const ascending = orderBy.direction === 'ASC';
  const { value, id } = after;
  const next = ascending ? { gt: id } : { lt: id };
  const tied = { [column]: value, id: next };
  if (value === null) return ascending ? [tied] : [{ OR: [tied, { [column]: { not: null } }] }];
  const beyond = { [column]: ascending ? { gt: value } : { lt: value } };
  // Nulls, the keys that never expire, are the greatest of all.
  if (column === 'expiresAt' && ascending) return [{ OR: [beyond, tied, { expiresAt: null }] }];
  return [{ [column]: ascending ? { gte: value } : { lte: value } }, { OR: [beyond, tied] }];
}
