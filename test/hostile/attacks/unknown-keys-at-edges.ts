/**
 * While a service has as many edges as it counts, clients present unknown keys at one of them; other clients of that edge
 * present keys that it does not know yet.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { BenchServer } from '../../bench/server.ts';
import { freePort } from '../../support/embedded-postgres.ts';
import { type Attack, latencyRow, measure, verificationBound } from '../attack.ts';
import { attackerNiceness, manyAddresses, startLoad, victimAddress } from '../load.ts';
import { rawRequest } from '../raw-connection.ts';
import { createKey, newTenant, unknownSecrets } from '../tenants.ts';

/** The service makes each of them wait for 250 ms between its questions. */
const otherEdges = 500;
/** The service forgets an edge that has not asked for 10 seconds. */
const askAgainMs = 5000;
const connections = 256;
const attacksPerSecond = 1000;
const victimsPerSecond = 20;
/** More than the edge keeps, so that it has to ask for each one. */
const [keys, cachedKeys] = [100, 10];

export const unknownKeysAtEdges: Attack = {
  name: 'unknown-keys-at-edges',
  run: async (stage) => {
    const server = await stage.start();
    const tenant = newTenant();
    const known: string[] = [];
    for (let i = 0; i < keys; i += 1) known.push((await createKey(server, tenant)).secret);
    const edges = Array.from({ length: otherEdges }, () => randomUUID());
    await ask(server, edges);
    const others = setInterval(() => void ask(server, edges), askAgainMs);
    const edge = await startEdge(server);
    try {
      const request = (key: string) => rawRequest({ method: 'POST', path: '/v1/verify', body: { key } });
      const victim = `the first verification of a key at the same edge, ${victimsPerSecond}/s`;
      const measured = await measure(stage, {
        victim,
        plan: () => ({
          url: edge.url,
          requests: known.map(request),
          connections: 32,
          addresses: [victimAddress],
          perSecond: victimsPerSecond,
          expected: '"valid":true',
        }),
        begin: () =>
          startLoad({
            url: edge.url,
            requests: unknownSecrets(20_000).map(request),
            connections,
            addresses: manyAddresses(connections),
            perSecond: attacksPerSecond,
            niceness: attackerNiceness,
          }),
      });
      return [latencyRow(victim, measured, verificationBound)];
    } finally {
      clearInterval(others);
      edge.child.kill('SIGTERM');
    }
  },
};

/** Asks an empty question for each of the edges. */
async function ask({ verifyUrl }: BenchServer, edges: readonly string[]): Promise<void> {
  for (const edge of edges) {
    const body = JSON.stringify({ edge, cursor: null, keys: [] });
    const headers = { 'content-type': 'application/json' };
    // A question that fails is asked again five seconds later.
    const response = await fetch(`${verifyUrl}/v1/feed`, { method: 'POST', headers, body }).catch(() => null);
    await response?.arrayBuffer();
  }
}

async function startEdge({ verifyUrl }: BenchServer): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const port = await freePort();
  const command = ['dist/cli/latchkey.js', 'edge', '--upstream', verifyUrl, '--port', String(port)];
  const env = { PATH: process.env.PATH, VERIFY_CACHE_KEYS: String(cachedKeys), LOG_LEVEL: 'info' };
  const child = spawn('node', command, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  child.stdout.resume();
  return { child, url: `http://127.0.0.1:${port}` };
}
