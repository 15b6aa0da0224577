/** Verification near the caller: in an Express API, at an edge, and what many edges cost one instance. */
import { installBetterAuth } from '../../harness/peers/install.ts';
import { progress } from '../../harness/print.ts';
import { Server } from '../../harness/server.ts';
import { median } from '../../harness/statistics.ts';
import { makeKey } from '../../support/calls.ts';
import { freePort } from '../../support/free-port.ts';
import { cpuSeconds } from '../../support/processes.ts';
import { temporaryDirectory } from '../../support/temporary-database.ts';
import { rawRequest } from '../raw-connection.ts';
import { type Script, startScript } from '../script.ts';
import type { WrkReport } from '../wrk.ts';
import { compare, measure } from './compare.ts';
import { type Bench, type Figure, medianRatio, startOnSqlite, withPostgres } from './figures.ts';
import { usualCall } from './verify.ts';

const rounds = 9;
const connections = 64;
/** As many as for verification on PostgreSQL: with both, a verification waits for a round trip. */
const edgeConnections = 256;
const leaseMs = 50;
const simulated = { edges: 100, perSecond: 20_000, seconds: 10 } as const;

export const local: Bench = async () => {
  const server = await startOnSqlite();
  const figures = await withPostgres({ VERIFY_LEASE_MS: String(leaseMs) }, async (leasing) => [
    ...(await benchExpress(server, leasing)),
    ...(await benchEdge('an edge', server)),
    ...(await benchEdge(`an edge with a lease of ${leaseMs} ms`, leasing)),
    await benchManyEdges(server),
  ]);
  await server.stop();
  return figures;
};

interface Api {
  readonly name: string;
  readonly script: Script;
  readonly url: string;
  readonly key: string;
  readonly measured: WrkReport[];
}

async function benchExpress(server: Server, leasing: Server): Promise<Figure[]> {
  progress('installing Better Auth');
  const betterAuth = await installBetterAuth(temporaryDirectory().path);
  const { secret } = await makeKey(server);
  const leaseKey = (await makeKey(leasing)).secret;
  const api = (protection: string, { verifyUrl } = server) =>
    ['test/load/bench/local-api.ts', protection, verifyUrl] as const;
  const unprotected = await startApi('unprotected', api('none'), secret);
  const verifier = await startApi('with the local verifier', api('local'), secret);
  const withLease = `with the local verifier and a lease of ${leaseMs} ms`;
  const lease = await startApi(withLease, api('local', leasing), leaseKey);
  const http = await startApi('with the middleware over HTTP', api('http'), secret);
  const peer = await startApi('with Better Auth in memory', [betterAuth]);
  const apis = [unprotected, verifier, lease, http, peer];
  for (const one of apis) await measure(one.url, loadOf(one), 1);
  for (let round = 1; round <= rounds; round += 1) {
    progress(`Express, round ${round} of ${rounds}`);
    for (const one of apis) one.measured.push(await measure(one.url, loadOf(one)));
  }
  for (const { script } of apis) await script.stop();
  return [
    { ...ratio(unprotected, verifier), atLeast: 1 },
    addedLatency(unprotected, verifier),
    { ...ratio(unprotected, lease), atLeast: 1 },
    { ...ratio(unprotected, http), atLeast: 0 },
    { ...ratio(unprotected, peer), atLeast: 0 },
  ];
}

/** Starts a program that gets its port as the first argument, and prints its key, or that it is ready. */
async function startApi(name: string, [file, ...args]: readonly [string, ...string[]], key?: string): Promise<Api> {
  const port = await freePort();
  const script = await startScript([file, String(port), ...args], { environment: { NODE_ENV: 'production' } });
  return { name, script, url: `http://127.0.0.1:${port}`, key: key ?? script.printed, measured: [] };
}

function loadOf({ key }: Api) {
  return { requests: [rawRequest({ method: 'GET', path: '/', token: key })], connections };
}

function ratio(floor: Api, api: Api) {
  const [floors = [], rates = []] = [floor, api].map(({ measured }) => measured.map(({ perSecond }) => perSecond));
  return {
    name: `an Express API ${api.name}`,
    floor: `${median(floors).toFixed(0)} ${floor.name}/s`,
    value: `${median(rates).toFixed(0)}/s`,
    result: medianRatio(rates, floors),
  };
}

function addedLatency(floor: Api, api: Api): Figure {
  const of = ({ measured }: Api) => `${median(measured.map(({ p50Ms }) => p50Ms)).toFixed(2)} ms`;
  const added = api.measured.map(({ p50Ms }, i) => p50Ms - (floor.measured[i]?.p50Ms ?? Number.NaN));
  const name = `an Express API ${api.name}, p50`;
  return { name, floor: of(floor), value: of(api), result: median(added), atMost: 1, unit: ' ms over' };
}

async function benchEdge(name: string, server: Server): Promise<Figure[]> {
  const { request, size } = await usualCall(server, await makeKey(server));
  const edge = await Server.startEdge([server.verifyUrl]);
  const load = () => ({ requests: [request], connections: edgeConnections });
  const { verifyUrl } = edge;
  const figures = await compare({ name, verifyUrl, load, answer: [size, 0], atLeast: 0.95 });
  await edge.stop();
  return figures;
}

async function benchManyEdges(server: Server): Promise<Figure> {
  const { edges, perSecond, seconds } = simulated;
  progress(`${edges} edges with ${perSecond} verifications a second`);
  const keys: string[] = [];
  for (let i = 0; i < edges; i += 1) keys.push((await makeKey(server)).secret);
  const args = ['test/load/bench/edges-load.ts', server.verifyUrl, String(perSecond), String(seconds)];
  const script = await startScript(args, { input: JSON.stringify(keys) });
  const [before, startedAt] = [cpuSeconds(...server.pids), performance.now()];
  const reached: { readonly perSecond: number; readonly failed: number } = JSON.parse(await script.nextLine());
  const share = (cpuSeconds(...server.pids) - before) / ((performance.now() - startedAt) / 1000);
  await script.stop();
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
