/**
 * Starting with a lost or a wrong pepper would refuse every key, and with a wrong key-encryption key every signature,
 * each looking like a caller's mistake. So the database remembers the fingerprints of what it was used with.
 */
import { fingerprint, type KeyRing } from '../domain/key-ring.ts';
import type { Prisma, PrismaClient } from './generated/sqlite/client.ts';

export type RingPurpose = 'pepper' | 'signing-kek';

/** Another process may be writing for a while. */
const transactionTimes = { maxWait: 5000, timeout: 10_000 };

/** What is wrong with the configured ring for this database. When nothing is, its current key's fingerprint is noted. */
export async function checkRing(database: PrismaClient, purpose: RingPurpose, ring: KeyRing): Promise<string[]> {
  return await database.$transaction(async (transaction) => {
    // Locks out every other writer until we commit: of two that start at once, the second sees what the first noted.
    await transaction.revision.update({ where: { id: 1 }, data: { current: { increment: 0 } } });
    const known = await transaction.ringKey.findMany({ where: { purpose } });
    const problems = await problemsOf(transaction, purpose, ring, known);
    // What is refused leaves nothing behind.
    if (problems.length === 0) {
      await transaction.$executeRaw`INSERT INTO "RingKey" ("purpose", "id", "fingerprint")
        VALUES (${purpose}, ${ring.current.id}, ${fingerprint(ring.current)}) ON CONFLICT DO NOTHING`;
    }
    return problems;
  }, transactionTimes);
}

interface KnownKey {
  readonly id: string;
  readonly fingerprint: string;
}

async function problemsOf(
  database: Prisma.TransactionClient,
  purpose: RingPurpose,
  ring: KeyRing,
  known: readonly KnownKey[],
): Promise<string[]> {
  const problems: string[] = [];
  for (const { id, fingerprint: noted } of known) {
    const configured = ring.byId.get(id);
    if (configured === undefined) {
      if (await inUse(database, purpose, id)) problems.push(`${id} is missing, and keys in the database still need it`);
    } else if (fingerprint(configured) !== noted) {
      problems.push(`${id} has other bytes than the ones that this database was used with`);
    }
  }
  // Before the first key is created, nothing needs any; and yet two instances would not know each other's keys.
  if (problems.length === 0 && known.length > 0 && !known.some(({ id }) => ring.byId.has(id))) {
    const ids = known.map(({ id }) => id).join(' or ');
    problems.push(`expected ${ids}, which this database is used with: all instances must be given the same`);
  }
  return problems;
}

async function inUse(database: Prisma.TransactionClient, purpose: RingPurpose, id: string): Promise<boolean> {
  const where =
    purpose === 'pepper'
      ? { pepperId: id, revokedAt: null }
      : { signingEnvelope: { startsWith: `${id}.` }, revokedAt: null };
  return (await database.apiKey.findFirst({ where, select: { id: true } })) !== null;
}
