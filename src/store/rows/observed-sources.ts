import { type Sql, sqltag as sql } from '@prisma/client/runtime/client';
import { formatIpAddress } from '../../domain/source/ip-address.ts';
import {
  maxObservedSources,
  type ObservedSources as Observed,
  type ObservedSource,
  secretStandingOf,
  unlistedAddress,
} from '../../domain/source/observed-source.ts';
import type { VerdictCount } from '../../domain/verdict/verdict-code.ts';
import { type VerdictCode, verdictCodes } from '../../domain/verdict/verdict-code.ts';
import type { DatabaseProvider } from '../../lib/database-address.ts';
import type { SourceRecord } from '../../wire/control-plane.ts';
import { type BulkRows, onConflict, sourceDayTable, sourceTable } from '../changes/bulk-rows.ts';
import type { ChangeQueue } from '../changes/change-queue.ts';
import type { PrismaClient } from '../generated/sqlite/client.ts';
import { textsIn, typedTableOf } from '../json-rows.ts';
import { queryStore } from '../unavailable.ts';
import { dayRows, deleteUnlistedDays, readAddressDays, readSourceDays, type TeamSourceRecord } from './source-days.ts';
import { mergeRows } from './usage-rows.ts';

const turn = { holder: 'observed sources' };

/** The addresses from which keys were used most recently, accepted or rejected. */
export class ObservedSources {
  readonly #reader: PrismaClient;
  readonly #provider: DatabaseProvider;
  readonly #changes: ChangeQueue;

  constructor(reader: PrismaClient, provider: DatabaseProvider, changes: ChangeQueue) {
    this.#reader = reader;
    this.#provider = provider;
    this.#changes = changes;
  }

  /** Returns the observed sources of a key, most recent first. `secretVersion` is the version of its current secret. */
  async list(keyId: string, secretVersion: number): Promise<Observed> {
    // One row per address. Prisma would read one row per verdict and take ten times as long.
    const rows = await queryStore(
      () => this.#reader.$queryRaw<SourceRow[]>`
        SELECT "version", "address", MIN("firstAt") AS "firstAt", MAX("lastAt") AS "lastAt", ${countsJson[this.#provider]}
        FROM "ObservedSource" WHERE "keyId" = ${keyId} GROUP BY "version", "address"`,
    );
    const sources = new Map<string, ObservedSource>();
    for (const { address, version, firstAt, lastAt, counts } of rows) {
      const secret = secretStandingOf(Number(version), secretVersion);
      const source = {
        keyId,
        address,
        secret,
        firstAt: new Date(firstAt),
        lastAt: new Date(lastAt),
        counts: countsOf(counts),
      };
      const name = `${secret} ${address}`;
      sources.set(name, merged(sources.get(name), source));
    }
    const latestFirst = [...sources.values()].sort((a, b) => b.lastAt.getTime() - a.lastAt.getTime());
    return {
      listed: latestFirst.filter(({ address }) => address !== unlisted),
      unlisted: latestFirst
        .filter(({ address }) => address === unlisted)
        .map(({ address: _, keyId: __, ...rest }) => rest),
    };
  }

  /** Returns how often keys were presented since a day, by key and address. */
  async days(keyIds: readonly string[], from: Date) {
    return await queryStore(() => readSourceDays(this.#reader, this.#provider, keyIds, from));
  }

  /** Returns how often each key of a team was presented from an address, a row per key and day. */
  async ofAddress(teamId: string, address: string) {
    return await queryStore(() => readAddressDays(this.#reader, teamId, address));
  }

  /** Adds observed sources and, in the same transaction, unlists addresses beyond the limits of their keys. */
  async add(records: readonly TeamSourceRecord[], now: Date): Promise<void> {
    const rows = newRows(records);
    const days = dayRows(records, now);
    const keyIds = [...new Set(records.map(({ keyId }) => keyId))];
    await this.#changes.housekeep(async (transaction, bulk) => {
      // Transactions run one at a time. Two at once would not see each other's new rows, and would exceed the limits.
      if (bulk.provider === 'postgresql') await transaction.$executeRawUnsafe(oneAtATime);
      await bulk.insert(sourceTable, rows);
      await bulk.insert(sourceDayTable, days);
      await unlistBeyondLimits(bulk, keyIds);
    }, turn);
  }
}

/** Returns one row per address and verdict. Several edges may report the same address. */
function newRows(records: readonly SourceRecord[]) {
  return mergeRows(
    records.flatMap(({ counts, keyId, version, address, firstAt, lastAt }) =>
      counts.map((count) => ({ keyId, version, address, firstAt, lastAt, ...count })),
    ),
    ({ keyId, version, address, code }) => `${keyId} ${version} ${address} ${code}`,
    (a, b) => ({ ...a, ...spanOf(a, b), count: a.count + b.count }),
  );
}

type Span = Pick<ObservedSource, 'firstAt' | 'lastAt'>;

function spanOf(a: Span, b: Span): Span {
  return {
    firstAt: a.firstAt < b.firstAt ? a.firstAt : b.firstAt,
    lastAt: a.lastAt > b.lastAt ? a.lastAt : b.lastAt,
  };
}

interface SourceRow {
  readonly version: number | bigint;
  readonly address: string;
  /** A text on SQLite. */
  readonly firstAt: Date | string;
  readonly lastAt: Date | string;
  /** A JSON object: the count of each verdict. */
  readonly counts: string;
}

const countsJson: Readonly<Record<DatabaseProvider, Sql>> = {
  sqlite: sql`json_group_object("code", "count") AS "counts"`,
  postgresql: sql`json_object_agg("code", "count")::text AS "counts"`,
};

function countsOf(json: string): VerdictCount[] {
  const counts: Readonly<Partial<Record<VerdictCode, number>>> = JSON.parse(json);
  return verdictCodes.flatMap((code) => {
    const count = counts[code];
    return count === undefined ? [] : [{ code, count }];
  });
}

function merged(known: ObservedSource | undefined, source: ObservedSource): ObservedSource {
  if (known === undefined) return source;
  const counts = new Map(known.counts.map(({ code, count }) => [code, count]));
  for (const { code, count } of source.counts) counts.set(code, (counts.get(code) ?? 0) + count);
  return {
    ...known,
    ...spanOf(known, source),
    counts: [...counts].map(([code, count]) => ({ code, count })),
  };
}

const oneAtATime = 'SELECT pg_advisory_xact_lock(72707370)';

/** Merges addresses beyond the limits into unlisted entries, which show that the list is incomplete. */
async function unlistBeyondLimits({ transaction, provider }: BulkRows, keyIds: readonly string[]): Promise<void> {
  // First finds the few keys with too many rows, because counting needs only the index.
  const crowded = await transaction.$queryRaw<{ keyId: string }[]>`
    SELECT "keyId" FROM "ObservedSource" WHERE "keyId" IN (${textsIn(provider, keyIds)})
    GROUP BY "keyId" HAVING COUNT(*) > ${maxObservedSources.perSecret}`;
  if (crowded.length === 0) return;
  const crowdedIds = crowded.map(({ keyId }) => keyId);
  const beyond = await transaction.$queryRaw<BeyondLimit[]>`
     SELECT "keyId", "version", "address", CASE WHEN "isOld" THEN ${earlier} ELSE "version" END AS "target"
     FROM (
       SELECT *, ROW_NUMBER() OVER (PARTITION BY "keyId" ORDER BY "isBeyond", "lastAt" DESC, "address") AS "inKey"
       FROM (
         SELECT "keyId", "version", "address", MAX("lastAt") AS "lastAt",
           "version" < MAX("version") OVER (PARTITION BY "keyId") - 1 AS "isOld",
           "address" <> ${unlisted} AND ROW_NUMBER() OVER (PARTITION BY "keyId", "version"
             ORDER BY "address" = ${unlisted}, MAX("lastAt") DESC, "address") > ${maxObservedSources.perSecret} AS "isBeyond"
         FROM "ObservedSource" WHERE "keyId" IN (${textsIn(provider, crowdedIds)}) AND "version" <> ${earlier}
         GROUP BY "keyId", "version", "address"
       ) AS ranked
     ) AS ranked
     WHERE "isBeyond" OR "inKey" > ${maxObservedSources.perKey} AND ("isOld" OR "address" <> ${unlisted})`;
  if (beyond.length === 0) return;
  const rows = typedTableOf(provider, beyondLimit, beyond);
  await transaction.$executeRaw`
     INSERT INTO "ObservedSource" ("keyId", "version", "address", "code", "count", "firstAt", "lastAt")
     SELECT b."keyId", b."target", ${unlisted}, s."code", SUM(s."count"), MIN(s."firstAt"), MAX(s."lastAt")
     FROM ${rows} AS b
     JOIN "ObservedSource" AS s ON s."keyId" = b."keyId" AND s."version" = b."version" AND s."address" = b."address"
     WHERE true GROUP BY b."keyId", b."target", s."code"
     ${onConflict(sourceTable)}`;
  await transaction.$executeRaw`
     DELETE FROM "ObservedSource" WHERE ("keyId", "version", "address") IN
       (SELECT "keyId", "version", "address" FROM ${rows} AS b)`;
  await deleteUnlistedDays(transaction, rows);
}

interface BeyondLimit {
  readonly keyId: string;
  readonly version: number | bigint;
  readonly address: string;
  /** The version of the secret whose unlisted entry gets the counts. */
  readonly target: number | bigint;
}

const unlisted = formatIpAddress(unlistedAddress);
/** The version of the unlisted entry for all secrets before the previous one. A key's first secret has version 1. */
const earlier = 0;
const beyondLimit = { keyId: 'text', version: 'integer', address: 'text', target: 'integer' } as const;
