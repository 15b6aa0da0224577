/** Verification near the caller: in an Express API, at an edge, and what many edges cost one instance. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort, startPostgres } from '../support/embedded-postgres.ts';
import { cpuSeconds, processesOf } from '../support/processes.ts';
import type { Progress } from '../support/progress.ts';
import { createKey, verdictOf } from './calls.ts';
import { compare, compareSteps } from './compare.ts';
import { type Figure, median } from './figures.ts';
import { installBetterAuth } from './peers.ts';
import { type BenchServer, startServer, temporaryDirectory } from './server.ts';
import { type Measured, measure, requireWrk } from './wrk.ts';

const rounds = 9;
const seconds = 2;
const connections = 64;
/** As many as for verification on PostgreSQL: with both, a verification waits for a round trip. */
const edgeConnections = 256;
const leaseMs = 50;
const simulated = { edges: 100, perSecond: 20_000, seconds: 10 } as const;

/** The installation of a peer, the rounds, the edge without and with leases, and the simulated edges. */
export const localSteps = 1 + rounds + 2 * compareSteps + 1;

export async function benchLocal(progress: Progress): Promise<Figure[]> {
  requireWrk();
  const directory = temporaryDirectory();
  const server = await startServer(directory.path);
  const postgres = await startPostgres();
  const leaseDirectory = temporaryDirectory();
  const leasing = await startServer(leaseDirectory.path, {
    DATABASE_URL: `${postgres.url}/postgres`,
    VERIFY_LEASE_MS: String(leaseMs),
  });
  const figures = [
    ...(await benchExpress(server, leasing, progress)),
    ...(await benchEdge('an edge', server, progress)),
    ...(await benchEdge(`an edge with a lease of ${leaseMs} ms`, leasing, progress)),
    await benchManyEdges(server, progress),
  ];
  await server.stop();
  await leasing.stop();
  await postgres.stop();
  for (const { remove } of [directory, leaseDirectory]) remove();
  return figures;
}

interface Api {
  readonly name: string;
  readonly child: ChildProcess;
  readonly url: string;
  readonly key: string;
  readonly measured: Measured[];
}

async function benchExpress(server: BenchServer, leasing: BenchServer, progress: Progress): Promise<Figure[]> {
  const directory = temporaryDirectory();
  progress.next('installing Better Auth');
  const betterAuth = await installBetterAuth(directory.path);
  const { secret } = await createKey(server);
  const ours = (protection: string, { verifyUrl } = server) =>
    ['test/bench/local-api.ts', protection, verifyUrl] as const;
  const unprotected = await startApi('unprotected', ours('none'), secret);
  const local = await startApi('with the local verifier', ours('local'), secret);
  const leaseKey = (await createKey(leasing)).secret;
  const withLease = `with the local verifier and a lease of ${leaseMs} ms`;
  const lease = await startApi(withLease, ours('local', leasing), leaseKey);
  const http = await startApi('with the middleware over HTTP', ours('http'), secret);
  const peer = await startApi('with Better Auth in memory', [betterAuth]);
  const apis = [unprotected, local, lease, http, peer];
  for (const api of apis) await measure(api.url, loadOf(api), 1, directory.path);
  for (let round = 0; round < rounds; round += 1) {
    progress.next(`Express, round ${round + 1} of ${rounds}`);
    for (const api of apis) api.measured.push(await measure(api.url, loadOf(api), seconds, directory.path));
  }
  for (const { child } of apis) await end(child);
  directory.remove();
  return [
    { ...beside(unprotected, local), atLeast: 1 },
    addedLatency(unprotected, local),
    { ...beside(unprotected, lease), atLeast: 1 },
    { ...beside(unprotected, http), atLeast: 0 },
    { ...beside(unprotected, peer), atLeast: 0 },
  ];
}

/** Starts a program that gets its port as the first argument, and prints its key, or that it is ready. */
async function startApi(name: string, [file, ...args]: readonly [string, ...string[]], key?: string): Promise<Api> {
  const port = await freePort();
  const environment = { PATH: process.env.PATH, NODE_ENV: 'production' };
  const child = spawn('node', [file, String(port), ...args], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed] = await once(child.stdout, 'data');
  return { name, child, url: `http://127.0.0.1:${port}`, key: key ?? String(printed).trim(), measured: [] };
}

function loadOf({ key }: Api) {
  return { method: 'GET', path: '/', headers: { authorization: `Bearer ${key}` }, bodies: [], connections };
}

function beside(floor: Api, api: Api) {
  const of = ({ measured }: Api) => median(measured.map(({ perSecond }) => perSecond)).toFixed(0);
  return {
    name: `an Express API ${api.name}`,
    floor: `${of(floor)} ${floor.name}/s`,
    value: `${of(api)}/s`,
    result: median(api.measured.map(({ perSecond }, i) => perSecond / (floor.measured[i]?.perSecond ?? Number.NaN))),
  };
}

function addedLatency(floor: Api, api: Api): Figure {
  const of = ({ measured }: Api) => `${median(measured.map(({ p50Ms }) => p50Ms)).toFixed(2)} ms`;
  const added = api.measured.map(({ p50Ms }, i) => p50Ms - (floor.measured[i]?.p50Ms ?? Number.NaN));
  const name = `an Express API ${api.name}, p50`;
  return { name, floor: of(floor), value: of(api), result: median(added), atMost: 1, unit: ' ms over' };
}

async function benchEdge(name: string, server: BenchServer, progress: Progress): Promise<Figure[]> {
  const { secret } = await createKey(server);
  const size = JSON.stringify(await verdictOf(server, secret)).length;
  const port = await freePort();
  const command = ['dist/cli/latchkey.js', 'edge', '--upstream', server.verifyUrl, '--port', String(port)];
  const child = spawn('node', command, { env: { PATH: process.env.PATH }, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  child.stdout.resume();
  const headers = { 'content-type': 'application/json' };
  const bodies = [JSON.stringify({ key: secret, env: 'live', sourceIp: '203.0.113.9' })];
  const figures = await compare({
    name,
    server: { verifyUrl: `http://127.0.0.1:${port}` },
    progress,
    load: () => ({ method: 'POST', path: '/v1/verify', headers, bodies, connections: edgeConnections }),
    answer: [size, 0],
    atLeast: 0.95,
  });
  await end(child);
  return figures;
}

async function benchManyEdges(server: BenchServer, progress: Progress): Promise<Figure> {
  const { edges, perSecond, seconds: forSeconds } = simulated;
  progress.next(`${edges} edges with ${perSecond} verifications a second`);
  const keys: string[] = [];
  for (let i = 0; i < edges; i += 1) keys.push((await createKey(server)).secret);
  const args = ['test/bench/edges-load.ts', server.verifyUrl, String(perSecond), String(forSeconds)];
  const child = spawn('node', args, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(keys));
  await once(child.stdout, 'data');
  const { supervisor, management, verification } = processesOf(server.pid);
  const used = () => [supervisor, management, ...verification].reduce((sum, pid) => sum + cpuSeconds(pid), 0);
  const [before, startedAt] = [used(), performance.now()];
  const [printed] = await once(child.stdout, 'data');
  const share = (used() - before) / ((performance.now() - startedAt) / 1000);
  await end(child);
  const reached: { readonly perSecond: number; readonly failed: number } = JSON.parse(String(printed));
  if (reached.failed > 0) throw new Error(`${reached.failed} verifications at the edges failed`);
  return {
    name: `one instance with ${edges} edges`,
    floor: `${perSecond} verifications/s wanted`,
    value: `${reached.perSecond.toFixed(0)} verifications/s`,
    result: share * 100,
    atMost: 20,
    unit: ' % of a core',
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}
