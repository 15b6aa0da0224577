import { join, raw, type Sql, sqltag as sql } from '@prisma/client/runtime/client';
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

/** A key that a secret belongs to, and which of its secrets it is. */
export interface FoundKey {
  readonly key: StoredKey;
  readonly version: number;
}

export interface SealedKey {
  readonly id: string;
  readonly envelopes: readonly string[];
}

export interface OverviewBounds {
  readonly teamId: string;
  readonly now: Date;
  readonly soon: Date;
  readonly longAgo: Date;
}

/** Counts the unrevoked keys of a team. All counts except `expired` and `disabled` are of active keys. */
export interface KeysOverview {
  readonly active: number;
  readonly expired: number;
  readonly disabled: number;
  /** Those that expire before `soon`. */
  readonly expiringSoon: number;
  readonly neverUsed: number;
  /** Keys that were created before `longAgo` and not used since. */
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
  async findAll(ids: readonly string[]): Promise<StoredKey[]> {
    const rows = await askStore(() => this.#reader.apiKey.findMany({ where: { id: { in: [...ids] } } }));
    return rows.map(keyFromRow);
  }

  /** Returns the names of keys by id, also of revoked ones. */
  async names(ids: readonly string[]): Promise<Map<string, string>> {
    const where = { id: { in: [...ids] } };
    const rows = await askStore(() => this.#reader.apiKey.findMany({ where, select: { id: true, name: true } }));
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  async findByDigests(digests: readonly string[]): Promise<FoundKey[]> {
    const digest = { in: [...digests] };
    const rotated = await askStore(() => this.#reader.rotatedSecret.findMany({ where: { digest } }));
    const keyIds = rotated.map(({ keyId }) => keyId);
    const rows =
      keyIds.length === 0 ? [] : await askStore(() => this.#reader.apiKey.findMany({ where: { id: { in: keyIds } } }));
    const current = await askStore(() => this.#reader.apiKey.findMany({ where: { digest } }));
    const earlier = rows.map((row): FoundKey => {
      const version = rotated.find(({ keyId }) => keyId === row.id)?.version ?? row.secretVersion;
      return { key: keyFromRow(row), version };
    });
    return [...current.map((row) => ({ key: keyFromRow(row), version: row.secretVersion })), ...earlier];
  }

  async findByPrefix(teamId: string, prefix: string): Promise<FoundKey | null> {
    const where = { prefix_teamId: { prefix, teamId } };
    const row = await askStore(() => this.#reader.apiKey.findUnique({ where }));
    return row === null ? null : { key: keyFromRow(row), version: row.secretVersion };
  }

  /** Finds the key whose previous secret had the prefix. */
  async findByPreviousPrefix(teamId: string, prefix: string): Promise<FoundKey | null> {
    const where = { teamId, previousPrefix: prefix };
    const row = await askStore(() => this.#reader.apiKey.findFirst({ where }));
    return row === null ? null : { key: keyFromRow(row), version: row.secretVersion - 1 };
  }

  /** Lists the keys that require signed requests, ordered by id. `after` is the last id of the previous page. */
  async sealed(after: string | null, limit: number): Promise<SealedKey[]> {
    const rows = await askStore(() =>
      this.#reader.apiKey.findMany({
        where: {
          OR: [{ signingEnvelope: { not: null } }, { previousSigningEnvelope: { not: null } }],
          ...(after === null ? {} : { id: { gt: after } }),
        },
        select: { id: true, signingEnvelope: true, previousSigningEnvelope: true },
        orderBy: { id: 'asc' },
        take: limit,
      }),
    );
    return rows.map(({ id, signingEnvelope, previousSigningEnvelope }) => ({
      id,
      envelopes: [signingEnvelope, previousSigningEnvelope].filter((envelope) => envelope !== null),
    }));
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
        SELECT octet_length(k."searchText") + ${this.#listBytes} AS "bytes"
        FROM "ApiKey" k WHERE ${this.#where(listing)} ORDER BY ${orderOf(listing)} LIMIT ${listing.limit}`,
    );
    return rows.map(({ bytes }) => Number(bytes));
  }

  /** Returns the text sizes of those keys that the team has, by id. */
  async textBytesOf(teamId: string, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (ids.length === 0) return new Map();
    const rows = await askStore(
      () => this.#reader.$queryRaw<{ readonly id: string; readonly bytes: number | bigint }[]>`
        SELECT k."id", octet_length(k."searchText") + ${this.#listBytes} AS "bytes"
        FROM "ApiKey" k WHERE k."teamId" = ${teamId} AND k."id" IN (${join(ids)})`,
    );
    return new Map(rows.map(({ id, bytes }) => [id, Number(bytes)]));
  }

  /** Returns those of the keys that the team has, by id. */
  async findInTeam(teamId: string, ids: readonly string[]): Promise<ReadonlyMap<string, StoredKey>> {
    if (ids.length === 0) return new Map();
    const rows = await askStore(
      () => this.#reader.$queryRaw<Row[]>`
        SELECT ${columns} FROM "ApiKey" k WHERE k."teamId" = ${teamId} AND k."id" IN (${join(ids)})`,
    );
    return new Map(rows.map((row) => [row.id, keyFromRow(row)]));
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
          COUNT(*) FILTER (WHERE "isActive") AS "active",
          COUNT(*) FILTER (WHERE "disabledAt" IS NULL AND NOT "isActive") AS "expired",
          COUNT(*) FILTER (WHERE "disabledAt" IS NOT NULL) AS "disabled",
          COUNT(*) FILTER (WHERE "isActive" AND "expiresAt" < ${soon}) AS "expiringSoon",
          COUNT(*) FILTER (WHERE "isActive" AND "lastUsedAt" IS NULL) AS "neverUsed",
          COUNT(*) FILTER (WHERE "isActive" AND "createdAt" < ${longAgo}
            AND ("lastUsedAt" IS NULL OR "lastUsedAt" < ${longAgo})) AS "unusedFor90Days"
        FROM (
          SELECT k."expiresAt", k."createdAt", k."disabledAt", u."lastUsedAt",
            k."disabledAt" IS NULL AND (k."expiresAt" IS NULL OR k."expiresAt" > ${now}) AS "isActive"
          FROM "ApiKey" k LEFT JOIN "KeyUsage" u ON u."keyId" = k."id"
          WHERE k."teamId" = ${teamId} AND k."revokedAt" IS NULL
        ) unrevoked`,
    );
    if (counts === undefined) throw new Error('an aggregate always has one row');
    const { active, expired, disabled, expiringSoon, neverUsed, unusedFor90Days } = counts;
    return {
      active: Number(active),
      expired: Number(expired),
      disabled: Number(disabled),
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

  get #listBytes(): Sql {
    const bytes = ['allowedIps', 'scopes', 'tags', 'metadata'].map((column) =>
      jsonBytes(this.#provider, `k."${column}"`),
    );
    return join(
      bytes.map((length) => sql`COALESCE(${length}, 0)`),
      ' + ',
    );
  }

  #where(selection: KeySelection | KeyListing): Sql {
    const behind = 'orderBy' in selection ? behindPosition(selection) : [];
    return join([...conditions(this.#provider, selection), ...behind], ' AND ');
  }
}
