/**
 * Two instances on a PostgreSQL of the run's own, and three edges: one behind a proxy with a single upstream, one behind
 * a proxy with a second upstream for failover, and one with a tiny cache.
 */
import { freePort, startPostgres } from '../support/embedded-postgres.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { type Instance, type Instances, startedPrograms, startInstances } from './instances.ts';
import { Program } from './program.ts';
import { startStaleProxy } from './stale-proxy.ts';

export interface Edge {
  readonly name: string;
  readonly verifyPort: number;
  readonly pids: readonly number[];
  readonly isAlive: () => boolean;
}

export interface EdgeInstances extends Instances {
  readonly edges: readonly Edge[];
  /** The proxy between the edges and their upstreams. */
  readonly proxies: readonly TcpProxy[];
}

export interface EdgesOptions {
  /** The environment of all instances. */
  readonly environment?: NodeJS.ProcessEnv;
  /** The first edge asks through a proxy that replays answers of the feed for this time. */
  readonly staleMs?: number | null;
}

export async function startEdgeInstances({ environment = {}, staleMs = null }: EdgesOptions): Promise<EdgeInstances> {
  const closing: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const close of closing.reverse()) await close();
  };
  try {
    const postgres = await startPostgres();
    closing.push(postgres.stop);
    const databaseUrl = `${postgres.url}/postgres`;
    const { all, stop: stopInstances } = await startInstances([
      { name: 'A', databaseUrl, workers: 2, environment },
      { name: 'B', databaseUrl, environment: { ...environment, VERIFY_CACHE_KEYS: '16' } },
    ]);
    closing.push(stopInstances);
    const [a, b] = all;
    if (a === undefined || b === undefined) throw new Error('there are two instances');
    const stale = staleMs === null ? null : await startStaleProxy(a.verifyPort, staleMs);
    if (stale !== null) closing.push(stale.stop);
    const proxies: TcpProxy[] = [];
    for (const port of [stale?.port ?? a.verifyPort, b.verifyPort]) {
      const proxy = await startTcpProxy(port);
      closing.push(proxy.stop);
      proxies.push(proxy);
    }
    const [toA, toB] = proxies.map(({ port }) => port);
    const { start, stop: stopEdges } = startedPrograms(() => undefined);
    closing.push(stopEdges);
    const edges = [
      await startEdge(start, { name: staleMs === null ? 'E1' : 'E1, stale', upstreams: [toA] }),
      await startEdge(start, { name: 'E2', upstreams: [toB, a.verifyPort] }),
      await startEdge(start, { name: 'E3', upstreams: [b.verifyPort, a.verifyPort], cacheKeys: 16 }),
    ];
    return { all, edges, proxies, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface EdgePlan {
  readonly name: string;
  readonly upstreams: readonly (number | undefined)[];
  readonly cacheKeys?: number;
}

async function startEdge(
  start: (program: Program) => Promise<void>,
  { name, upstreams, cacheKeys }: EdgePlan,
): Promise<Edge> {
  const verifyPort = await freePort();
  const urls = upstreams.flatMap((port) => ['--upstream', `http://127.0.0.1:${port}`]);
  const program = new Program({
    name,
    command: ['dist/cli/latchkey.js', 'edge', '--port', String(verifyPort), ...urls],
    environment: cacheKeys === undefined ? {} : { VERIFY_CACHE_KEYS: String(cacheKeys) },
  });
  await start(program);
  return {
    name,
    verifyPort,
    get pids() {
      return program.pids;
    },
    isAlive: () => program.isAlive,
  };
}

/** Asks an edge for verdicts, and an instance for changes. */
export function withManagement({ name, verifyPort, pids, isAlive }: Edge, { port, management }: Instance): Instance {
  const restart = () => Promise.reject(new Error('edges are not restarted'));
  return { name, port, verifyPort, pids, management, verification: pids, isAlive, restart };
}
