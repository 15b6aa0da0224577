import { join, raw, type Sql } from '@prisma/client/runtime/client';
import type { StoredKey } from '../domain/api-key.ts';
import { type BulkDialect, keyTable } from './bulk-rows.ts';
import type { PrismaClient } from './generated/sqlite/client.ts';
import { keyFromRow, type Row } from './key-rows.ts';
import {
  behindPosition,
  conditions,
  jsonBytes,
  type KeyListing,
  type KeyPosition,
  type KeySelection,
  orderColumns,
  orderOf,
} from './key-selection.ts';
import { askStore } from './unavailable.ts';

export interface SelectedKey {
  readonly id: string;
  readonly revision: bigint;
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

/** Counts the unrevoked keys of a team. All counts except `expired` are of active keys. */
export interface KeysOverview {
  readonly active: number;
  readonly expired: number;
  /** Those that expire before `soon`. */
  readonly expiringSoon: number;
  readonly neverUsed: number;
  /** Keys that were not used since `longAgo`, including those never used. */
  readonly unusedFor90Days: number;
}

/** Named columns instead of `*`: a newer version may have added others. */
const columns = raw(keyTable.columns.map((column) => `k."${column}"`).join(', '));

export class Keys {
  readonly #reader: PrismaClient;
  readonly #provider: BulkDialect;

  constructor(reader: PrismaClient, provider: BulkDialect) {
    this.#reader = reader;
    this.#provider = provider;
  }

  async find(id: string): Promise<StoredKey | null> {
    const row = await askStore(() => this.#reader.apiKey.findUnique({ where: { id } }));
    return row === null ? null : keyFromRow(row);
  }

  /** Finds the keys with one of these digests: several only if imported keys match the same secret. */
  async findByDigests(digests: readonly string[]): Promise<StoredKey[]> {
    const rows = await askStore(() => this.#reader.apiKey.findMany({ where: { digest: { in: [...digests] } } }));
    return rows.map(keyFromRow);
  }

  async findByPrefix(teamId: string, prefix: string): Promise<StoredKey | null> {
    const where = { prefix_teamId: { prefix, teamId } };
    const row = await askStore(() => this.#reader.apiKey.findUnique({ where }));
    return row === null ? null : keyFromRow(row);
  }

  /** Lists the keys that require signed requests, ordered by id. `after` is the last id of the previous page. */
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
    const column = orderColumns[listing.orderBy.field];
    const rows = await askStore(
      () => this.#reader.$queryRaw<Row[]>`
        SELECT ${columns} FROM "ApiKey" k WHERE ${this.#where(listing)} ORDER BY ${orderOf(listing)} LIMIT ${listing.limit}`,
    );
    return rows.map((row) => ({ key: keyFromRow(row), position: { value: row[column], id: row.id } }));
  }

  /** Returns the text size of each key in bytes, without reading the texts. */
  async textBytes(listing: KeyListing): Promise<number[]> {
    const rows = await askStore(
      () => this.#reader.$queryRaw<{ readonly bytes: number | bigint }[]>`
        SELECT octet_length(k."searchText") + ${jsonBytes(this.#provider, 'k."allowedIps"')} AS "bytes"
        FROM "ApiKey" k WHERE ${this.#where(listing)} ORDER BY ${orderOf(listing)} LIMIT ${listing.limit}`,
    );
    return rows.map(({ bytes }) => Number(bytes));
  }

  /**
   * Returns all keys of a selection, newest first. They are read as one text, because rows cost three times as much.
   */
  async select(selection: KeySelection): Promise<SelectedKey[]> {
    const [row] = await askStore(
      () => this.#reader.$queryRaw<{ readonly keys: string | null }[]>`
        SELECT string_agg(k."id" || ':' || k."revision", ',' ORDER BY k."createdAt" DESC, k."id" DESC) AS "keys"
        FROM "ApiKey" k WHERE ${this.#where(selection)}`,
    );
    return (row?.keys?.split(',') ?? []).map((key) => {
      const [id = '', revision = ''] = key.split(':');
      return { id, revision: BigInt(revision) };
    });
  }

  /** Computes all counts in one query, from one consistent snapshot. */
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
    const [row] = await askStore(
      () => this.#reader.$queryRaw<{ readonly count: number | bigint }[]>`
        SELECT COUNT(*) AS "count" FROM "ApiKey" k WHERE ${this.#where(selection)}`,
    );
    return Number(row?.count ?? 0);
  }

  #where(selection: KeySelection | KeyListing): Sql {
    const behind = 'orderBy' in selection ? behindPosition(selection) : [];
    return join([...conditions(this.#provider, selection), ...behind], ' AND ');
  }
}
