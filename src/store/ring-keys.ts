/**
 * Starting with a lost or a wrong pepper would refuse every key, and with a wrong key-encryption key every signature,
 * each looking like a caller's mistake. So the database remembers the fingerprints of what it was used with.
 */
import { fingerprint, type KeyRing } from '../domain/key-ring.ts';
import type { ChangeQueue } from './change-queue.ts';
import type { DatabaseAddress } from './database.ts';

export type RingPurpose = 'pepper' | 'signing-kek';

/** A database to be asked, whether a service has it open or it is a copy. */
export interface RingDatabase {
  readonly provider: DatabaseAddress['provider'];
  readonly query: <Row>(sql: string) => Promise<Row[]>;
}

interface KnownRingKey {
  readonly purpose: string;
  readonly id: string;
  readonly fingerprint: string;
}

/** For a service that starts: what is wrong with the ring. When nothing is, its current key is remembered. */
export async function startWithRing(changes: ChangeQueue, purpose: RingPurpose, ring: KeyRing): Promise<string[]> {
  let problems: string[] = [];
  await changes.perform(async (transaction, provider) => {
    // Locks out every other writer until we commit: of two that start at once, the second sees what the first noted.
    // In SQL: on a busy machine, Prisma's first compilation of a query takes longer than a transaction may be idle.
    await transaction.$executeRaw`UPDATE "Revision" SET "current" = "current" WHERE "id" = 1`;
    const query: RingDatabase['query'] = (sql) => transaction.$queryRawUnsafe(sql);
    problems = await ringProblems({ provider, query }, purpose, ring);
    // What is refused leaves nothing behind.
    if (problems.length === 0) {
      await transaction.$executeRaw`INSERT INTO "RingKey" ("purpose", "id", "fingerprint")
        VALUES (${purpose}, ${ring.current.id}, ${fingerprint(ring.current)}) ON CONFLICT DO NOTHING`;
    }
  });
  return problems;
}

/** What is wrong with the configured ring for this database; empty when nothing is. */
export async function ringProblems(database: RingDatabase, purpose: RingPurpose, ring: KeyRing): Promise<string[]> {
  const known = await knownKeys(database, purpose);
  // Looking through all keys takes its time; most rings lack nothing.
  const lacksNone = known.every(({ id }) => ring.byId.has(id));
  const use = lacksNone ? new Map<string, number>() : await ringUse(database, purpose);
  const problems = known.flatMap(({ id, fingerprint: remembered }) => {
    const configured = ring.byId.get(id);
    if (configured === undefined)
      return use.has(id) ? [`${id} is missing, and keys in the database still need it`] : [];
    return fingerprint(configured) === remembered
      ? []
      : [`${id} has other bytes than the ones that this database was used with`];
  });
  // Before the first key is created, nothing needs any; and yet two instances would not know each other's keys.
  if (problems.length === 0 && known.length > 0 && !known.some(({ id }) => ring.byId.has(id))) {
    const ids = known.map(({ id }) => id).join(' or ');
    problems.push(`expected ${ids}, which this database is used with: all instances must be given the same`);
  }
  return problems;
}

/** Whether some service was started with the ring's current key as the current one. */
export async function isCurrentKnown(database: RingDatabase, purpose: RingPurpose, { current }: KeyRing) {
  const known = await knownKeys(database, purpose);
  return known.some(({ id, fingerprint: remembered }) => id === current.id && fingerprint(current) === remembered);
}

/** How many keys need each key of the ring: those that are not revoked. What none needs is absent. */
export async function ringUse(database: RingDatabase, purpose: RingPurpose): Promise<Map<string, number>> {
  const expression = idExpressions[purpose][database.provider];
  const rows = await database.query<{ id: string; keys: number | bigint }>(
    `SELECT ${expression} AS "id", count(*) AS "keys" FROM "ApiKey"
     WHERE "revokedAt" IS NULL AND ${expression} IS NOT NULL GROUP BY 1 ORDER BY 1`,
  );
  return new Map(rows.map(({ id, keys }) => [id, Number(keys)]));
}

const idExpressions: Readonly<Record<RingPurpose, Readonly<Record<DatabaseAddress['provider'], string>>>> = {
  pepper: { sqlite: '"pepperId"', postgresql: '"pepperId"' },
  'signing-kek': {
    sqlite: `substr("signingEnvelope", 1, instr("signingEnvelope", '.') - 1)`,
    postgresql: `split_part("signingEnvelope", '.', 1)`,
  },
};

async function knownKeys(database: RingDatabase, purpose: RingPurpose): Promise<KnownRingKey[]> {
  const rows = await database.query<KnownRingKey>('SELECT "purpose", "id", "fingerprint" FROM "RingKey" ORDER BY "id"');
  return rows.filter((row) => row.purpose === purpose);
}
