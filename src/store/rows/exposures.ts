/** The places where secrets of keys leaked. Each is recorded once, with the change that it causes. */
import type { StoredKey } from '../../domain/key/api-key.ts';
import type { LeakPolicy } from '../../domain/leak.ts';
import type { DatabaseProvider } from '../../lib/database-address.ts';
import type { Load } from '../changes/change.ts';
import { KnownExposures } from '../changes/known-exposures.ts';
import type { Prisma, PrismaClient } from '../generated/sqlite/client.ts';
import { textsIn } from '../json-rows.ts';
import { queryStore } from '../unavailable.ts';

/** A key that was reported, and what is known of its leaks. */
export interface ExposedKey {
  readonly key: StoredKey;
  readonly policy: LeakPolicy;
  /** The ids that are not recorded yet, in the order of the report. */
  readonly newIds: readonly string[];
  /** The number of exposures that were recorded since the key has its current secret. */
  readonly recorded: number;
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
        recorded: exposures.countOf(keyId),
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

/** Counts since the last rotation: what leaked before must not keep a leak of the new secret from being recorded. */
async function countRecorded(client: Client, provider: DatabaseProvider, keys: readonly StoredKey[]) {
  const keyIds = keys.map(({ id }) => id);
  const rows = await client.$queryRaw<{ keyId: string; count: number | bigint }[]>`
    SELECT e."keyId", COUNT(*) AS "count" FROM "Exposure" e JOIN "ApiKey" k ON k."id" = e."keyId"
    WHERE e."keyId" IN (${textsIn(provider, keyIds)}) AND (k."rotatedAt" IS NULL OR e."at" >= k."rotatedAt")
    GROUP BY e."keyId"`;
  return rows.map(({ keyId, count }) => [keyId, Number(count)] as const);
}
