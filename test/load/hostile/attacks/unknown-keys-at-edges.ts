/**
 * While a service has as many edges as it counts, clients present unknown keys at one of them; other clients of that edge
 * present keys that it does not know yet.
 */
import { randomUUID } from 'node:crypto';
import { Server } from '../../../harness/server.ts';
import { type Attack, latencyRow, measure, verificationBound } from '../attack.ts';
import { flood, victimAddress } from '../load.ts';
import { createKeys, newTenant, unknownSecrets, verifyRequest } from '../tenants.ts';

/** The service makes each of them wait for 250 ms between its requests. */
const otherEdges = 500;
/** The service forgets an edge that has sent no request for 10 seconds. */
const feedIntervalMs = 5000;
const connections = 256;
const attacksPerSecond = 1000;
const victimsPerSecond = 20;
/** More than the edge keeps, so that it has to request each one. */
const [keys, cachedKeys] = [100, 10];

export const unknownKeysAtEdges: Attack = {
  name: 'unknown-keys-at-edges',
  run: async (stage) => {
    const server = await stage.start();
    const known = await createKeys(server, newTenant(), keys);
    const edges = Array.from({ length: otherEdges }, () => randomUUID());
    await requestFeed(server, edges);
    const others = setInterval(() => void requestFeed(server, edges), feedIntervalMs);
    const environment = { VERIFY_CACHE_KEYS: String(cachedKeys), LOG_LEVEL: 'info' };
    const edge = await Server.startEdge([server.verifyUrl], environment);
    try {
      const unknown = unknownSecrets(20_000).map((key) => verifyRequest({ key }));
      const measured = await measure({
        victim: `the first verification of a key at the same edge, ${victimsPerSecond}/s`,
        plan: () => ({
          url: edge.verifyUrl,
          requests: known.map(({ secret }) => verifyRequest({ key: secret })),
          connections: 32,
          addresses: [victimAddress],
          perSecond: victimsPerSecond,
          expected: '"valid":true',
        }),
        begin: () => flood(edge.verifyUrl, unknown, connections, { perSecond: attacksPerSecond }),
      });
      return [latencyRow(measured, verificationBound)];
    } finally {
      clearInterval(others);
      await edge.stop();
    }
  },
};

/** Sends an empty request of each of the edges. */
async function requestFeed({ verifyUrl }: Server, edges: readonly string[]): Promise<void> {
  for (const edge of edges) {
    const body = JSON.stringify({ edge, cursor: null, keys: [] });
    const headers = { 'content-type': 'application/json' };
    // A failed request is repeated five seconds later.
    const response = await fetch(`${verifyUrl}/v1/feed`, { method: 'POST', headers, body }).catch(() => null);
    await response?.arrayBuffer();
  }
}
