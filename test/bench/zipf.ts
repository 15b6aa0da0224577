/** A database of 1,000,000 keys, and requests for them drawn by Zipf's law, as real traffic roughly is. */
import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { mintSecret } from '../../src/domain/secret/secret.ts';
import { digestSecret } from '../../src/domain/secret/secret-digest.ts';
import { migrate } from '../../src/store/migrate.ts';

const keys = 1_000_000;
const drawn = 600_000;

export async function seedZipf(directory: string) {
  const pepper = { id: 'bench', bytes: randomBytes(32) };
  const file = join(directory, 'latchkey.db');
  await migrate({ provider: 'sqlite', file });
  const ranks = drawRanks();
  // The secret of a key that is never drawn is not needed.
  const secrets = new Map([...new Set(ranks)].map((rank) => [rank, mintSecret('lk', 'live', randomBytes)]));
  const sqlite = new Sqlite(file);
  const insert = sqlite.prepare(
    `INSERT INTO "ApiKey" (id, teamId, name, env, prefix, digest, pepperId, allowedIps, createdAt, searchText, revision)
     VALUES (?, ?, ?, 'live', ?, ?, 'bench', '[]', '2026-01-01T00:00:00.000+00:00', '', ?)`,
  );
  const teams = Array.from({ length: 1000 }, () => randomUUID());
  sqlite.transaction(() => {
    for (let rank = 0; rank < keys; rank += 1) {
      const minted = secrets.get(rank);
      const digest = minted === undefined ? randomBytes(32).toString('base64url') : digestSecret(minted.secret, pepper);
      insert.run(
        randomUUID(),
        teams[rank % 1000],
        `Key ${rank}`,
        minted?.prefix ?? `lk_live_${rank}`,
        digest,
        rank + 1,
      );
    }
    sqlite.prepare('UPDATE "Revision" SET current = ?').run(keys);
  })();
  sqlite.close();
  return {
    environment: { KEY_PEPPERS: `bench:${pepper.bytes.toString('base64')}` },
    draws: ranks.map((rank) => JSON.stringify({ key: secrets.get(rank)?.secret, env: 'live' })),
  };
}

/** The key of rank r is drawn in proportion to 1/r. */
function drawRanks(): number[] {
  const cumulative = new Float64Array(keys);
  let sum = 0;
  for (let rank = 0; rank < keys; rank += 1) {
    sum += 1 / (rank + 1);
    cumulative[rank] = sum;
  }
  return Array.from({ length: drawn }, () => {
    const target = Math.random() * sum;
    let [low, high] = [0, keys - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((cumulative[middle] ?? 0) < target) low = middle + 1;
      else high = middle;
    }
    return low;
  });
}
