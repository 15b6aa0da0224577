/** Detects wrong ring keys at startup by stored fingerprints. A wrong ring key rejects every API key or signature. */
import { fingerprint, type KeyRing } from '../../domain/secret/key-ring.ts';
import type { DatabaseProvider } from '../../lib/database-address.ts';
import type { ChangeQueue } from '../changes/change-queue.ts';

export type RingPurpose = 'pepper' | 'signing-kek';

type Query = <Row>(sql: string) => Promise<Row[]>;

/** The database of a running service, or a copy. */
export interface RingDatabase {
  readonly provider: DatabaseProvider;
  readonly query: Query;
  /** For statements that read whole tables. */
  readonly slowQuery: Query;
  /** The tables of a copy, which can be from a release before some of them. Absent: all tables. */
  readonly tables?: ReadonlySet<string>;
}

interface KnownRingKey {
  readonly purpose: string;
  readonly id: string;
  readonly fingerprint: string;
}

/** Checks the ring when a service starts, and records its current key if the ring is valid. Returns its problems. */
export async function startWithRing(
  changes: ChangeQueue,
  database: RingDatabase,
  purpose: RingPurpose,
  ring: KeyRing,
): Promise<string[]> {
  for (;;) {
    const known = await knownKeys(database.query, purpose);
    // Before the transaction, because counting can take seconds, in which no instance could change a key.
    const use = await missingRingUse(database, known, purpose, ring);
    const problems = problemsOf(known, use, purpose, ring);
    const isUnchanged = await changes.housekeep(async (transaction) => {
      // Blocks other writers until the commit: of two services that start at once, the second sees the key of the first.
      // Raw SQL, because Prisma may compile its first query for longer than the transaction may be idle.
      await transaction.$executeRaw`UPDATE "Revision" SET "current" = "current" WHERE "id" = 1`;
      // Keys are only added.
      const knownNow = await knownKeys((sql) => transaction.$queryRawUnsafe(sql), purpose);
      if (knownNow.length !== known.length) return false;
      if (problems.length === 0) {
        await transaction.$executeRaw`INSERT INTO "RingKey" ("purpose", "id", "fingerprint")
          VALUES (${purpose}, ${ring.current.id}, ${fingerprint(ring.current)}) ON CONFLICT DO NOTHING`;
      }
      return true;
    });
    if (isUnchanged) return problems;
  }
}

/** What needs the keys of each ring. */
export const needing: Readonly<Record<RingPurpose, string>> = {
  pepper: 'keys or management keys',
  'signing-kek': 'keys, management keys or webhooks',
};

/** Returns the problems of the configured ring with this database; empty when there are none. */
export async function ringProblems(database: RingDatabase, purpose: RingPurpose, ring: KeyRing): Promise<string[]> {
  const known = await knownKeys(database.query, purpose);
  return problemsOf(known, await missingRingUse(database, known, purpose, ring), purpose, ring);
}

/** Counts only when a ring key is missing, because counting is slow. */
async function missingRingUse(
  database: RingDatabase,
  known: readonly KnownRingKey[],
  purpose: RingPurpose,
  ring: KeyRing,
): Promise<ReadonlyMap<string, number>> {
  const lacksNone = known.every(({ id }) => ring.byId.has(id));
  return lacksNone ? new Map() : await ringUse(database, purpose);
}

function problemsOf(
  known: readonly KnownRingKey[],
  use: ReadonlyMap<string, number>,
  purpose: RingPurpose,
  ring: KeyRing,
): string[] {
  const problems = known.flatMap(({ id, fingerprint: remembered }) => {
    const configured = ring.byId.get(id);
    if (configured === undefined)
      return use.has(id) ? [`${id} is missing, and ${needing[purpose]} in the database still need it`] : [];
    return fingerprint(configured) === remembered
      ? []
      : [`${id} has other bytes than the ones that this database was used with`];
  });
  // Even if nothing uses a ring key, two instances with different rings must not both start.
  if (problems.length === 0 && known.length > 0 && !known.some(({ id }) => ring.byId.has(id))) {
    const ids = known.map(({ id }) => id).join(' or ');
    problems.push(`expected ${ids}, which this database is used with: all instances must be given the same`);
  }
  return problems;
}

/** Returns whether a service ever started with the ring's current key. */
export async function isCurrentKnown(database: RingDatabase, purpose: RingPurpose, { current }: KeyRing) {
  const known = await knownKeys(database.query, purpose);
  return known.some(({ id, fingerprint: remembered }) => id === current.id && fingerprint(current) === remembered);
}

/** Counts the unrevoked keys and management keys, and the webhooks, that need each ring key. Unused ring keys are absent. */
export async function ringUse(database: RingDatabase, purpose: RingPurpose): Promise<Map<string, number>> {
  const { provider, tables } = database;
  const used = idsInUse[purpose](provider).filter(({ since }) => since === undefined || (tables?.has(since) ?? true));
  const rows = await database.slowQuery<{ id: string; owners: number | bigint }>(
    `SELECT "id", count(DISTINCT "ownerId") AS "owners" FROM (${used.map(({ ids }) => ids).join(' UNION ALL ')}) "used"
     GROUP BY 1 ORDER BY 1`,
  );
  return new Map(rows.map(({ id, owners }) => [id, Number(owners)]));
}

interface IdsInUse {
  /** SQL for the ids of ring keys and of what needs them. */
  readonly ids: string;
  /** The table with which the columns were added. */
  readonly since?: string;
}

const unrevokedManagementKeys = '"ManagementKey" WHERE "revokedAt" IS NULL';

/** Selects the ring keys that are needed: for each current secret, and for each accepted previous one. */
const idsInUse: Readonly<Record<RingPurpose, (provider: DatabaseProvider) => readonly IdsInUse[]>> = {
  pepper: () => [
    { ids: `SELECT k."pepperId" AS "id", k."id" AS "ownerId" FROM "ApiKey" k WHERE k."revokedAt" IS NULL` },
    {
      ids: `SELECT s."pepperId", k."id" FROM "RotatedSecret" s JOIN "ApiKey" k ON k."id" = s."keyId"
        WHERE k."revokedAt" IS NULL AND k."previousExpiresAt" IS NOT NULL AND s."version" = k."secretVersion" - 1`,
      since: 'RotatedSecret',
    },
    ...['"pepperId"', '"previousPepperId"'].map((pepperId) => ({
      ids: `SELECT ${pepperId}, "id" FROM ${unrevokedManagementKeys} AND ${pepperId} IS NOT NULL`,
      since: 'ManagementKey',
    })),
  ],
  'signing-kek': (provider) => [
    { ids: kekIds(provider, '"signingEnvelope"', '"ApiKey" WHERE "revokedAt" IS NULL') },
    {
      ids: kekIds(provider, '"previousSigningEnvelope"', '"ApiKey" WHERE "revokedAt" IS NULL'),
      since: 'RotatedSecret',
    },
    { ids: kekIds(provider, '"signingEnvelope"', unrevokedManagementKeys), since: 'ManagementKey' },
    { ids: kekIds(provider, '"secretEnvelope"', '"Webhook" WHERE true'), since: 'Webhook' },
    { ids: kekIds(provider, '"previousSecretEnvelope"', '"Webhook" WHERE true'), since: 'Webhook' },
  ],
};

function kekIds(provider: DatabaseProvider, envelope: string, from: string): string {
  return `SELECT ${kekId[provider](envelope)} AS "id", "id" AS "ownerId" FROM ${from} AND ${envelope} IS NOT NULL`;
}

const kekId: Readonly<Record<DatabaseProvider, (envelope: string) => string>> = {
  sqlite: (envelope) => `substr(${envelope}, 1, instr(${envelope}, '.') - 1)`,
  postgresql: (envelope) => `split_part(${envelope}, '.', 1)`,
};

async function knownKeys(query: Query, purpose: RingPurpose): Promise<KnownRingKey[]> {
  const rows = await query<KnownRingKey>('SELECT "purpose", "id", "fingerprint" FROM "RingKey" ORDER BY "id"');
  return rows.filter((row) => row.purpose === purpose);
}
