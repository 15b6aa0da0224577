/**
 * Starting with a lost or a wrong pepper would refuse every key, and with a wrong key-encryption key every signature,
 * each looking like a caller's mistake. So the database remembers the fingerprints of what it was used with.
 */
import { fingerprint, type KeyRing } from '../domain/key-ring.ts';
import type { PrismaClient } from './generated/sqlite/client.ts';

export type RingPurpose = 'pepper' | 'signing-kek';

/** What is wrong with the configured ring for this database; empty when nothing is. Notes the current key's fingerprint. */
export async function checkRing(database: PrismaClient, purpose: RingPurpose, ring: KeyRing): Promise<string[]> {
  const { id } = ring.current;
  // One statement, so that of two processes that start at once neither reads what the other is about to write.
  await database.$executeRaw`INSERT INTO "RingKey" ("purpose", "id", "fingerprint")
    VALUES (${purpose}, ${id}, ${fingerprint(ring.current)}) ON CONFLICT DO NOTHING`;
  const problems: string[] = [];
  for (const known of await database.ringKey.findMany({ where: { purpose } })) {
    const configured = ring.byId.get(known.id);
    if (configured === undefined) {
      if (await inUse(database, purpose, known.id))
        problems.push(`${known.id} is missing, and keys in the database still need it`);
    } else if (fingerprint(configured) !== known.fingerprint) {
      problems.push(`${known.id} has other bytes than the ones that this database was used with`);
    }
  }
  return problems;
}

async function inUse(database: PrismaClient, purpose: RingPurpose, id: string): Promise<boolean> {
  const where =
    purpose === 'pepper'
      ? { pepperId: id, revokedAt: null }
      : { signingEnvelope: { startsWith: `${id}.` }, revokedAt: null };
  return (await database.apiKey.findFirst({ where, select: { id: true } })) !== null;
}
