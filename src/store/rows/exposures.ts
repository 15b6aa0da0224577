/** The places where secrets of keys leaked. Each is recorded once, with the change that it causes. */

import type { ManagementKey } from '../../domain/access/management-key.ts';
import type { StoredKey } from '../../domain/key/api-key.ts';
import { defaultLeakPolicy, type KeyLeak, type LeakPolicy } from '../../domain/leak.ts';
import type { DatabaseProvider } from '../../lib/database-address.ts';
import type { Load } from '../changes/change.ts';
import { KnownExposures, type LeakedSecret } from '../changes/known-exposures.ts';
import type { Prisma, PrismaClient } from '../generated/sqlite/client.ts';
import { textsIn } from '../json-rows.ts';
import { queryStore } from '../unavailable.ts';
import { isLeakOf, leakedVersion } from './key-selection.ts';
import { policyIn } from './leak-policies.ts';
import { managementKeyIn } from './management-keys.ts';

/** A key that was reported, and what is known of its leaks. */
export interface ExposedKey {
  readonly key: StoredKey;
  readonly policy: LeakPolicy;
  /** The ids that are not recorded yet, in the order of the report. */
  readonly newIds: readonly string[];
  /** Returns the number of exposures that are recorded of a secret. */
  readonly recordedOf: (version: number) => number;
}

/** For a change of a key by a report with these exposures. Null if the key was purged. */
export function exposedKey(keyId: string, ids: readonly string[]): Load<ExposedKey | null> {
  return {
    needs: { ids: [keyId], exposures: ids },
    pick: ({ keys, exposures }) => {
      const key = keys.get(keyId);
      if (key === undefined) return null;
      return {
        key,
        policy: exposures.policyOf(key.teamId),
        newIds: ids.filter((id) => !exposures.has(id)),
        recordedOf: (version) => exposures.countOf({ keyId, version }),
      };
    },
  };
}

/** A management key that was reported. It has no entry in the state that changes of keys share. */
export interface ExposedManagementKey extends Omit<ExposedKey, 'key'> {
  readonly key: ManagementKey;
}

export function exposedManagementKey(id: string, ids: readonly string[]): Load<ExposedManagementKey | null> {
  return {
    read: async (client) => {
      const key = await managementKeyIn(client, id);
      if (key === null) return null;
      const rows = await client.exposure.findMany({ where: { id: { in: [...ids] } }, select: { id: true } });
      const known = new Set(rows.map((row) => row.id));
      const counts = await client.exposure.groupBy({ by: ['version'], where: { keyId: id }, _count: true });
      return {
        key,
        policy: (await policyIn(client, key.teamId)) ?? defaultLeakPolicy,
        newIds: ids.filter((one) => !known.has(one)),
        recordedOf: (version) => counts.find((one) => one.version === version)?._count ?? 0,
      };
    },
  };
}

export class Exposures {
  readonly #reader: PrismaClient;
  readonly #provider: DatabaseProvider;

  constructor(reader: PrismaClient, provider: DatabaseProvider) {
    this.#reader = reader;
    this.#provider = provider;
  }

  /** Returns which of the ids are recorded. */
  async recorded(ids: readonly string[]): Promise<ReadonlySet<string>> {
    return await queryStore(() => recordedOf(this.#reader, this.#provider, ids));
  }

  /**
   * Returns the leaks of keys by id. The first exposure is found without the texts of the others, of which a key can have
   * a hundred. CROSS JOIN makes SQLite read the tables in this order.
   */
  async leaks(now: Date, keyIds: readonly string[]): Promise<ReadonlyMap<string, KeyLeak>> {
    const rows = await queryStore(
      () => this.#reader.$queryRaw<LeakRow[]>`
        SELECT f."keyId", f."places", e."at" AS "reportedAt", e."reporter", e."source", e."url",
          CASE f."version" WHEN f."secretVersion" THEN 'CURRENT' ELSE 'PREVIOUS' END AS "secret",
          CASE f."version" WHEN f."secretVersion" THEN f."prefix" ELSE f."previousPrefix" END AS "prefix"
        FROM (
          SELECT p.*, COUNT(*) OVER (PARTITION BY p."keyId", p."version") AS "places",
            ROW_NUMBER() OVER (PARTITION BY p."keyId" ORDER BY p."version" DESC, p."at", p."id") AS "place"
          FROM (
            SELECT e."id", e."keyId", e."at", ${leakedVersion} AS "version",
              k."secretVersion", k."prefix", k."previousPrefix"
            FROM "ApiKey" k CROSS JOIN "Exposure" e
            WHERE k."id" IN (${textsIn(this.#provider, keyIds)}) AND e."keyId" = k."id" AND ${isLeakOf(now)}
          ) p
        ) f CROSS JOIN "Exposure" e WHERE f."place" = 1 AND e."id" = f."id"`,
    );
    return new Map(rows.map(({ keyId, places, ...leak }) => [keyId, { ...leak, places: Number(places) }]));
  }
}

/** Reads nothing if no change is about a leak. */
export async function loadExposures(
  client: Prisma.TransactionClient,
  provider: DatabaseProvider,
  ids: readonly string[],
  keys: readonly StoredKey[],
): Promise<KnownExposures> {
  if (ids.length === 0) return new KnownExposures();
  const teamId = { in: [...new Set(keys.map((key) => key.teamId))] };
  const policies = await client.leakPolicy.findMany({ where: { teamId } });
  return new KnownExposures(
    await recordedOf(client, provider, ids),
    await countRecorded(client, provider, keys),
    // Only `setLeakPolicy` writes the column.
    policies.map((row) => [row.teamId, row.policy as LeakPolicy]),
  );
}

type LeakRow = Omit<KeyLeak, 'places'> & { readonly keyId: string; readonly places: number | bigint };

type Client = Pick<Prisma.TransactionClient, '$queryRaw'>;

async function recordedOf(
  client: Client,
  provider: DatabaseProvider,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await client.$queryRaw<{ id: string }[]>`
    SELECT "id" FROM "Exposure" WHERE "id" IN (${textsIn(provider, ids)})`;
  return new Set(rows.map(({ id }) => id));
}

/** Counts by secret: what leaked before a rotation must not keep a leak of the new secret from being recorded. */
async function countRecorded(client: Client, provider: DatabaseProvider, keys: readonly StoredKey[]) {
  const keyIds = keys.map(({ id }) => id);
  const rows = await client.$queryRaw<(LeakedSecret & { count: number | bigint })[]>`
    SELECT p."keyId", p."version", COUNT(*) AS "count" FROM (
      SELECT e."keyId", ${leakedVersion} AS "version" FROM "Exposure" e JOIN "ApiKey" k ON k."id" = e."keyId"
      WHERE e."keyId" IN (${textsIn(provider, keyIds)})
    ) p GROUP BY p."keyId", p."version"`;
  return rows.map(({ keyId, version, count }) => ({ keyId, version: Number(version), count: Number(count) }));
}
