/** A database of 1,000,000 keys, and requests for them drawn by Zipf's law, as real traffic roughly is. */
import { randomBytes } from 'node:crypto';
import { mintSecret } from '../../../src/domain/secret/secret.ts';
import { digestSecret } from '../../../src/domain/secret/secret-digest.ts';
import { seedKeys } from '../../support/seed-keys.ts';
import { rawRequest } from '../raw-connection.ts';

const keys = 1_000_000;
const drawn = 600_000;

export async function seedZipf(directory: string) {
  const pepper = { id: 'bench', bytes: randomBytes(32) };
  const ranks = drawRanks(keys, drawn);
  // The secret of a key that is never drawn is not needed.
  const secrets = new Map([...new Set(ranks)].map((rank) => [rank, mintSecret('lk', 'live', randomBytes)]));
  await seedKeys(directory, keys, 1000, (rank) => {
    const minted = secrets.get(rank);
    return minted && { prefix: minted.prefix, digest: digestSecret(minted.secret, pepper) };
  });
  const request = (rank: number) =>
    rawRequest({ method: 'POST', path: '/v1/verify', body: { key: secrets.get(rank)?.secret, env: 'live' } });
  return {
    environment: { KEY_PEPPERS: `bench:${pepper.bytes.toString('base64')}` },
    requests: ranks.map(request),
  };
}

/** Draws ranks below `ranks`: rank r in proportion to 1/(r + 1). */
function drawRanks(ranks: number, count: number): number[] {
  const cumulative = new Float64Array(ranks);
  let sum = 0;
  for (let rank = 0; rank < ranks; rank += 1) {
    sum += 1 / (rank + 1);
    cumulative[rank] = sum;
  }
  return Array.from({ length: count }, () => {
    const target = Math.random() * sum;
    let [low, high] = [0, ranks - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((cumulative[middle] ?? 0) < target) low = middle + 1;
      else high = middle;
    }
    return low;
  });
}
