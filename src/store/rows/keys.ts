import { join, raw, type Sql, sqltag as sql } from '@prisma/client/runtime/client';
import type { EventKey } from '../../domain/event/event.ts';
import type { StoredKey } from '../../domain/key/api-key.ts';
import type { SearchText } from '../../domain/key/search-text.ts';
import type { TeamRules } from '../../domain/policy/team-policies.ts';
import type { DatabaseProvider } from '../../lib/database-address.ts';
import { keyTable } from '../changes/bulk-rows.ts';
import type { Prisma, PrismaClient } from '../generated/sqlite/client.ts';
import { textsIn } from '../json-rows.ts';
import { queryStore } from '../unavailable.ts';
import { type ExternalName, keysByExternalName } from './external-names.ts';
import { readCreators } from './key-creator.ts';
import { namedKeys } from './key-lookup.ts';
import { firstOldText, isOldText, keyFromRow, type StoredKeyRow } from './key-rows.ts';
import { chunkOf, KeyScan, maxScannedKeys } from './key-scan.ts';
import {
  conditions,
  type IndexedField,
  type IndexedOrder,
  type KeyListing,
  type KeyPosition,
  type KeySelection,
  listsOf,
  newestFirst,
  orderColumns,
  orderOf,
  rangesAfter,
  textBytes,
  type UseField,
} from './key-selection.ts';
import { searchByUse } from './keys-by-use.ts';
import { filter, listOf, partsOf } from './lists-in-text.ts';
import { countValues, type ValueField, type ValuesInUse } from './values-in-use.ts';

export interface SelectedKey {
  readonly id: string;
  readonly revision: bigint;
}

/** A key since its last change. */
export interface ChangedKey extends SelectedKey {
  /** Whether a version up to 0.1 wrote the name, as it is sorted and searched. */
  readonly hasOldName: boolean;
}

export interface SelectedKeys {
  readonly keys: readonly SelectedKey[];
  /** Where to continue if the team has more keys than one operation reads; null if all keys were compared. */
  readonly end: KeyPosition | null;
}

export interface FoundKeys {
  /** The size in bytes of the texts of each key that was found; 0 if they fit together into `maxTextBytes`. */
  readonly textBytes: readonly number[];
  /** Returns the first keys, as many as `count` says. Omits those that no longer match the selection. */
  readonly read: (count: number) => Promise<readonly ListedKey[]>;
  /** Where the search ended and the next search continues; null at the end of the list. */
  readonly end: KeyPosition | null;
}

export interface KeyCount {
  readonly count: number;
  /** Whether only the first keys were counted, because the list has more keys than one operation reads. */
  readonly isPartial: boolean;
}

export interface ListedKey {
  readonly key: StoredKey;
  readonly position: KeyPosition;
}

/** A key, and the version of its secret that was found. */
export interface FoundKey {
  readonly key: StoredKey;
  readonly version: number;
}

/** A secret that a key has, or had before a rotation. */
export interface FoundSecret {
  readonly digest: string;
  readonly keyId: string;
  readonly teamId: string;
  readonly version: number;
}

export interface FoundKeySecret extends FoundSecret {
  readonly tripwire: boolean;
}

export interface SealedKey {
  readonly id: string;
  readonly envelopes: readonly string[];
}

export interface ReportedKey {
  readonly id: string;
  readonly teamId: string;
  readonly secretVersion: number;
  readonly rateLimitWindowSeconds: number | null;
}

/** Which keys to count, in all states, and the times of the counts. */
export interface OverviewBounds extends Omit<KeySelection, 'states'> {
  readonly soon: Date;
  readonly longAgo: Date;
  readonly rules: TeamRules;
}

/** Counts of keys of a team. All counts except `expired`, `disabled`, `leaked` and `revoked` are of active keys. */
export interface KeysOverview {
  readonly active: number;
  readonly expired: number;
  readonly disabled: number;
  readonly leaked: number;
  readonly expiringSoon: number;
  readonly neverUsed: number;
  readonly violating: number;
  /** At most `maxScannedKeys`. */
  readonly revoked: number;
  /** Keys that were created before `longAgo` and not used after `longAgo`. */
  readonly unusedFor90Days: number;
  /** Whether only the newest keys were counted, because the team has more keys than one operation reads. */
  readonly isPartial: boolean;
}

/** Names columns instead of `*`, because a newer version may have added columns. */
const columns = raw(keyTable.columns.map((column) => `k."${column}"`).join(', '));

export class Keys {
  readonly #reader: PrismaClient;
  readonly #slowReader: PrismaClient;
  readonly #provider: DatabaseProvider;
  readonly #scan: KeyScan;

  constructor(reader: PrismaClient, provider: DatabaseProvider, slowReader = reader) {
    this.#reader = reader;
    this.#slowReader = slowReader;
    this.#provider = provider;
    this.#scan = new KeyScan(reader, provider);
  }

  async find(id: string): Promise<StoredKey | null> {
    const row = await queryStore(() => this.#reader.apiKey.findUnique({ where: { id } }));
    return row === null ? null : keyFromRow(row);
  }

  /** Returns the unrevoked keys of a team and environment with an external id: `ambiguousKeys` at most. */
  async findByExternalName(name: ExternalName): Promise<StoredKey[]> {
    return await queryStore(() => keysByExternalName(this.#reader, name));
  }

  async creators(ids: readonly string[]): Promise<Map<string, string>> {
    return await readCreators(this.#reader, this.#provider, ids);
  }

  /** Returns the names of keys by id, including revoked keys. */
  async names(ids: readonly string[]): Promise<Map<string, string>> {
    const where = { id: { in: [...ids] } };
    const rows = await queryStore(() => this.#reader.apiKey.findMany({ where, select: { id: true, name: true } }));
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  /** Returns, by id, what events say of keys, including revoked keys. */
  async forEvents(ids: readonly string[]): Promise<Map<string, EventKey>> {
    const where = { id: { in: [...ids] } };
    const select = { id: true, name: true, env: true, prefix: true, responsible: true };
    const rows = await queryStore(() => this.#reader.apiKey.findMany({ where, select }));
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** Finds the keys that have or had a secret with one of these digests: several only for an imported secret. */
  async findByDigests(digests: readonly string[]): Promise<FoundKey[]> {
    const where = { digest: { in: [...digests] } };
    const select = { id: true, secretVersion: true };
    // Current secrets are read first. If a secret is rotated between the reads, it is in both results.
    const current = await queryStore(() => this.#reader.apiKey.findMany({ where, select }));
    const rotated = await queryStore(() => this.#reader.rotatedSecret.findMany({ where }));
    const versions = new Map(current.map(({ id, secretVersion }) => [id, secretVersion]));
    for (const { keyId, version } of rotated) versions.set(keyId, version);
    const ids = [...versions.keys()];
    const rows = await queryStore(() => this.#reader.apiKey.findMany({ where: { id: { in: ids } } }));
    return rows.map((row) => ({ key: keyFromRow(row), version: versions.get(row.id) ?? row.secretVersion }));
  }

  /** Finds the secrets with these digests, of all teams, current and earlier ones: in one statement, so none twice. */
  async findSecrets(digests: readonly string[]): Promise<FoundKeySecret[]> {
    const list = textsIn(this.#provider, digests);
    const rows = await queryStore(
      () => this.#reader.$queryRaw<FoundKeySecret[]>`
        SELECT "digest", "id" AS "keyId", "teamId", "secretVersion" AS "version", "tripwire"
        FROM "ApiKey" WHERE "digest" IN (${list})
        UNION ALL
        SELECT "digest", "keyId", "teamId", "version", (SELECT "tripwire" FROM "ApiKey" WHERE "id" = "keyId")
        FROM "RotatedSecret" WHERE "digest" IN (${list})`,
    );
    return rows.map((row) => ({ ...row, version: Number(row.version), tripwire: Boolean(row.tripwire) }));
  }

  /**
   * Finds the keys whose current secret has the prefix, otherwise those whose previous secret has the prefix: at most
   * two, because no one can tell which of several imported keys is meant.
   */
  async findByPrefix(teamId: string, prefix: string): Promise<FoundKey[]> {
    const current = await this.#firstTwo({ teamId, prefix });
    if (current.length > 0) return current.map((key) => ({ key, version: key.secretVersion }));
    const previous = await this.#firstTwo({ teamId, previousPrefix: prefix });
    return previous.map((key) => ({ key, version: key.secretVersion - 1 }));
  }

  /** Reads them one by one, because Prisma would sort all of them for a limit of two. */
  async #firstTwo(where: Prisma.ApiKeyWhereInput): Promise<StoredKey[]> {
    const findFirst = async (id: Prisma.StringFilter = {}) =>
      await queryStore(() => this.#reader.apiKey.findFirst({ where: { ...where, id } }));
    const first = await findFirst();
    const second = first === null ? null : await findFirst({ not: first.id });
    return [first, second].flatMap((row) => (row === null ? [] : [keyFromRow(row)]));
  }

  /**
   * Lists the keys that require signed requests, ordered by id. `after` is the last id of the previous page. Slow if few
   * of millions of keys do: no index has them.
   */
  async sealed(after: string | null, limit: number): Promise<SealedKey[]> {
    const rows = await queryStore(() =>
      this.#slowReader.apiKey.findMany({
        where: {
          signingEnvelope: { not: null },
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

  /** Finds keys of these teams that a text names, and those with these ids: by indexes, so in any number of keys. */
  async findNamed(teamIds: readonly string[], search: SearchText, ids: readonly string[]): Promise<StoredKey[]> {
    const named = namedKeys(this.#provider, teamIds, search, ids);
    const rows = await queryStore(
      () => this.#reader.$queryRaw<StoredKeyRow[]>`SELECT ${columns} FROM "ApiKey" k WHERE k."id" IN (${named})`,
    );
    return rows.map(keyFromRow);
  }

  /**
   * Finds the first keys of a list, up to `limit`, and the size of each key's texts. Keys that need no search are read at
   * once if their texts fit together into `maxTextBytes`; then no size is returned.
   */
  async search(listing: KeyListing, maxTextBytes = Number.MAX_SAFE_INTEGER): Promise<FoundKeys> {
    const { field, direction } = listing.orderBy;
    return field === 'LAST_USED_AT' || field === 'CALLS'
      ? await this.#searchByUse({ ...listing, orderBy: { field, direction } })
      : await this.#searchInOrder({ ...listing, orderBy: { field, direction } }, maxTextBytes);
  }

  async #searchInOrder(listing: KeyListing<IndexedField>, maxTextBytes: number): Promise<FoundKeys> {
    const { limit, orderBy, after, ...selection } = listing;
    const narrowing = conditions(this.#provider, selection);
    const listed = narrowing.length === 0 ? await this.#readInOrder(listing, maxTextBytes) : [];
    if (listed.length > 0) {
      const end = listed.length < limit ? null : (listed.at(-1)?.position ?? null);
      return { textBytes: listed.map(() => 0), read: async (count) => listed.slice(0, count), end };
    }
    const found: { readonly id: string; readonly textBytes: number }[] = [];
    const end = await this.#scan.run(
      // Without conditions, one chunk of `limit` keys is enough.
      { selection, orderBy, after, chunkSize: narrowing.length === 0 ? limit : undefined },
      { keys: listOf(sql`k."id" || ':' || ${textBytes(this.#provider)}`, narrowing, orderBy) },
      ({ keys }) => {
        for (const [id = '', bytes] of partsOf(keys))
          if (found.length < limit) found.push({ id, textBytes: Number(bytes) });
        return found.length < limit;
      },
    );
    return {
      textBytes: found.map((key) => key.textBytes),
      read: (count) => this.#list(listing, found.slice(0, count)),
      end,
    };
  }

  async #searchByUse({ limit, orderBy, ...selection }: KeyListing<UseField>): Promise<FoundKeys> {
    const found = await searchByUse(this.#scan, this.#provider, { limit, orderBy, ...selection });
    const positions = new Map(found.map((position) => [position.id, position]));
    const sizes = await this.textBytesOf(selection.teamId, [...positions.keys()]);
    return {
      textBytes: found.map(({ id }) => sizes.get(id) ?? 0),
      read: async (count) => {
        const listed = await this.#list({ ...selection, orderBy: newestFirst }, found.slice(0, count));
        return listed.map(({ key, position }) => ({ key, position: positions.get(key.id) ?? position }));
      },
      end: null,
    };
  }

  /**
   * Reads a page that one range of an index has, if its texts have at most `maxTextBytes` together. Adding up their sizes
   * before costs a fifth of the read.
   */
  async #readInOrder(listing: KeyListing<IndexedField>, maxTextBytes: number): Promise<ListedKey[]> {
    const { limit, orderBy } = listing;
    const [list, ...otherLists] = listsOf(listing, orderBy);
    const [range, ...otherRanges] = rangesAfter(orderBy, listing.after ?? null);
    if (list === undefined || range === undefined || otherLists.length + otherRanges.length > 0) return [];
    const sizes = chunkOf(listing, orderBy, range, sql`${textBytes(this.#provider)} AS "bytes"`, limit);
    const rows = await queryStore(
      () => this.#reader.$queryRaw<ListedRow[]>`
        SELECT ${columns}, u."lastUsedAt" FROM "ApiKey" k LEFT JOIN "KeyUsage" u ON u."keyId" = k."id"
        WHERE ${list} AND ${range} AND (SELECT SUM(p."bytes") FROM (${sizes}) p) <= ${maxTextBytes}
        ORDER BY ${orderOf(orderBy)} LIMIT ${limit}`,
    );
    return rows.map((row) => listedKey(row, orderBy));
  }

  /** Reads the keys that a search found, in the same order. */
  async #list(
    { orderBy, ...selection }: Omit<KeyListing<IndexedField>, 'limit'>,
    found: readonly { readonly id: string }[],
  ) {
    if (found.length === 0) return [];
    const ids = textsIn(
      this.#provider,
      found.map(({ id }) => id),
    );
    const lists = listsOf(selection, orderBy).map((list) => sql`(${list})`);
    const where = [sql`(${join(lists, ' OR ')})`, ...conditions(this.#provider, selection)];
    const rows = await queryStore(
      () => this.#reader.$queryRaw<ListedRow[]>`
        SELECT ${columns}, u."lastUsedAt" FROM "ApiKey" k LEFT JOIN "KeyUsage" u ON u."keyId" = k."id"
        WHERE k."id" IN (${ids}) AND ${join(where, ' AND ')}`,
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    return found.flatMap(({ id }) => {
      const row = byId.get(id);
      return row === undefined ? [] : [listedKey(row, orderBy)];
    });
  }

  /** Returns whether an earlier version wrote the name of a key in the lists of a selection. Such keys are last by name. */
  async hasOldNames(selection: KeySelection): Promise<boolean> {
    const orderBy = { field: 'NAME', direction: 'ASC' } as const;
    const lists = listsOf(selection, orderBy).map(
      (list) => sql`SELECT * FROM (
        SELECT k."id" FROM "ApiKey" k WHERE ${list} AND k."searchText" >= ${firstOldText} ORDER BY ${orderOf(orderBy)} LIMIT 1
      ) p`,
    );
    const old = await queryStore(() => this.#reader.$queryRaw<unknown[]>`${join(lists, ' UNION ALL ')}`);
    return old.length > 0;
  }

  /** Lists the keys with a later revision, in the order of their revisions. */
  async changedSince(revision: bigint, limit: number): Promise<ChangedKey[]> {
    const where = { revision: { gt: revision } };
    const select = { id: true, revision: true, searchText: true };
    const orderBy = { revision: 'asc' } as const;
    const rows = await queryStore(() => this.#reader.apiKey.findMany({ where, select, orderBy, take: limit }));
    return rows.map(({ searchText, ...key }) => ({ ...key, hasOldName: isOldText(searchText) }));
  }

  /** Returns the text sizes of keys by id. Omits keys of other teams. */
  async textBytesOf(teamId: string, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (ids.length === 0) return new Map();
    const rows = await queryStore(
      () => this.#reader.$queryRaw<{ readonly id: string; readonly bytes: number | bigint }[]>`
        SELECT k."id", ${textBytes(this.#provider)} AS "bytes"
        FROM "ApiKey" k WHERE k."teamId" = ${teamId} AND k."id" IN (${join(ids)})`,
    );
    return new Map(rows.map(({ id, bytes }) => [id, Number(bytes)]));
  }

  /** Returns keys by id. Omits keys of other teams. */
  async findInTeam(teamId: string, ids: readonly string[]): Promise<ReadonlyMap<string, StoredKey>> {
    if (ids.length === 0) return new Map();
    const rows = await queryStore(
      () => this.#reader.$queryRaw<StoredKeyRow[]>`
        SELECT ${columns} FROM "ApiKey" k WHERE k."teamId" = ${teamId} AND k."id" IN (${join(ids)})`,
    );
    return new Map(rows.map((row) => [row.id, keyFromRow(row)]));
  }

  async reported(ids: readonly string[]): Promise<Map<string, ReportedKey>> {
    const keys = await queryStore(
      () => this.#reader.$queryRaw<ReportedKey[]>`
        SELECT "id", "teamId", "secretVersion", "rateLimitWindowSeconds"
        FROM "ApiKey" WHERE "id" IN (${textsIn(this.#provider, ids)})`,
    );
    return new Map(keys.map((key) => [key.id, { ...key, secretVersion: Number(key.secretVersion) }]));
  }

  /** Selects the unrevoked keys that meet conditions, newest first. Compares at most `maxScannedKeys` keys. */
  async select(selection: KeySelection, after?: KeyPosition): Promise<SelectedKeys> {
    const narrowing = conditions(this.#provider, selection);
    const selected: SelectedKey[] = [];
    const end = await this.#scan.run(
      { selection, orderBy: newestFirst, after },
      { keys: listOf(sql`k."id" || ':' || k."revision"`, narrowing, newestFirst) },
      ({ keys }) => {
        for (const [id = '', revision = ''] of partsOf(keys)) selected.push({ id, revision: BigInt(revision) });
        return true;
      },
    );
    return { keys: selected, end };
  }

  async overview({ soon, longAgo, rules, ...selection }: OverviewBounds): Promise<KeysOverview> {
    const { teamId, now } = selection;
    const active = { teamId, now, states: ['ACTIVE'] } as const;
    const unrevoked = { teamId, now, states: ['ACTIVE', 'EXPIRED', 'DISABLED'] } as const;
    const revoked = await this.count({ ...selection, states: ['REVOKED'] });
    const { counts, isPartial } = await this.#count(
      { ...selection, ...unrevoked },
      {
        active,
        expired: { ...active, states: ['EXPIRED'] },
        disabled: { ...active, states: ['DISABLED'] },
        leaked: { ...unrevoked, leaked: true },
        expiringSoon: { ...active, expiresBefore: soon },
        neverUsed: { ...active, neverUsed: true },
        violating: { ...active, violating: { is: true, rules } },
        unusedFor90Days: { ...active, createdBefore: longAgo, unusedSince: longAgo },
      },
    );
    return { ...counts, revoked: revoked.count, isPartial };
  }

  async values(selection: KeySelection, field: ValueField, search: string | null): Promise<ValuesInUse> {
    return await countValues(this.#scan, this.#provider, selection, field, search);
  }

  async count(selection: KeySelection): Promise<KeyCount> {
    if (conditions(this.#provider, selection).length === 0) return await this.#countByIndex(selection);
    const { counts, isPartial } = await this.#count(selection, { all: null });
    return { count: counts.all, isPartial };
  }

  /** The index has all that is counted, so that one statement is enough. */
  async #countByIndex(selection: KeySelection): Promise<KeyCount> {
    const keys = chunkOf(selection, newestFirst, raw('TRUE'), raw('k."id", k."createdAt"'), maxScannedKeys + 1);
    const [row] = await queryStore(
      () => this.#reader.$queryRaw<{ readonly count: bigint | number }[]>`SELECT COUNT(*) AS "count" FROM (${keys}) k`,
    );
    const count = Number(row?.count);
    return { count: Math.min(count, maxScannedKeys), isPartial: count > maxScannedKeys };
  }

  /** Counts, for each entry of `counted`, the keys of `selection` that meet its conditions. Reads them only once. */
  async #count<Name extends string>(selection: KeySelection, counted: Readonly<Record<Name, KeySelection | null>>) {
    const names = Object.keys(counted) as Name[];
    const ofAll = conditions(this.#provider, selection);
    const narrowing = new Map(
      names.map((name) => [
        name,
        [...(counted[name] === null ? [] : conditions(this.#provider, counted[name])), ...ofAll],
      ]),
    );
    const counts = Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
    const end = await this.#scan.run(
      { selection, orderBy: newestFirst },
      Object.fromEntries([...narrowing].map(([name, where]) => [name, sql`COUNT(*)${filter(where)}`])) as Record<
        Name,
        Sql
      >,
      (values) => {
        for (const name of names) counts[name] += Number(values[name]);
        return true;
      },
    );
    return { counts, isPartial: end !== null };
  }
}

type ListedRow = StoredKeyRow & { readonly lastUsedAt: Date | null };

function listedKey(row: ListedRow, { field }: IndexedOrder): ListedKey {
  return { key: keyFromRow(row), position: { value: row[orderColumns[field]], id: row.id } };
}
