/**
 * `npm run load -- overload [--write]`: more clients than can be served, on both ports, and clients that only hold on to
 * connections. With `--write`, the table of docs/evidence/benchmarks.md is replaced.
 */

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { readArguments } from '../../harness/arguments.ts';
import { type Call, Client } from '../../harness/client.ts';
import { printFailures, progress } from '../../harness/print.ts';
import { tableText, takenNow, writeBlock } from '../../harness/results/page.ts';
import { Server } from '../../harness/server.ts';
import { percentile } from '../../harness/statistics.ts';
import { rssMb } from '../../support/processes.ts';
import { both, rest, sessionToken } from '../../support/service.ts';
import { temporaryDirectory } from '../../support/temporary-database.ts';
import { atRate } from '../at-rate.ts';
import { connectIdleClients } from '../idle-clients.ts';
import { rawRequest } from '../raw-connection.ts';
import { requireWrk, runWrk } from '../wrk.ts';

const seconds = 8;
/** Enough clients to keep one instance busy on this class of machine. */
const clients = 32;
/** Of management, each of a team of its own: one caller gets only a share of the capacity. */
const callers = 64;
const probesPerSecond = 25;
const bounds = { memoryMb: 768, recoveryMs: 2000 };

interface Port {
  readonly name: string;
  readonly url: string;
  /** The call that is measured. */
  readonly call: Call;
  /** The calls of the other clients. */
  readonly crowd: readonly Call[];
  /** The maximum p99 of accepted calls, with any number of other clients. */
  readonly acceptedP99Ms: number;
  /** The time after which an incomplete request is cut off. */
  readonly cutWithinMs: number;
}

/** Clients beside the crowd that hold connections. */
interface Idle {
  readonly name: string;
  readonly clients: number;
  readonly start: string;
  readonly everySecond: string;
  readonly areCut: boolean;
}

const { values } = readArguments({ options: { write: { type: 'boolean', default: false } } });
requireWrk();
const taken = values.write ? takenNow(['overload']) : null;
const server = await Server.startService({ directory: temporaryDirectory().path, environment: { LOG_LEVEL: 'fatal' } });
interface Measured {
  readonly port: string;
  readonly crowd: string;
  readonly servedPerSecond: number;
  readonly rejectedPerSecond: number;
  readonly acceptedP99Ms: number;
  readonly rejectedP99Ms: number;
  readonly memoryMb: number;
  readonly recoveredMs: number;
}

const measurements: Measured[] = [];
const violations: string[] = [];
for (const port of await ports()) {
  const { method, path, token } = port.call;
  const authorization = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`;
  const length = 'Host: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n';
  const head = `${method} ${path} HTTP/1.1\r\n${authorization}${length}`;
  for (const times of [1, 10]) await measure(port, clients * times, null);
  const slow = { clients: 2000, areCut: true };
  await measure(port, clients, { ...slow, name: 'headers sent slowly', start: head, everySecond: 'X-A: b\r\n' });
  await measure(port, clients, { ...slow, name: 'bodies sent slowly', start: `${head}\r\n`, everySecond: ' ' });
  await measure(port, clients, { name: 'idle', clients: 10_000, start: '', everySecond: '', areCut: false });
}
await server.stop();
console.table(measurements);
if (taken !== null) writeBlock('overload', taken, summaryOf(measurements));
printFailures(violations);

async function ports(): Promise<Port[]> {
  const [probe, first, ...others] = await Promise.all(Array.from({ length: callers + 1 }, newCaller));
  if (probe === undefined || first === undefined) throw new Error('there are callers');
  const verify = ({ secret }: Caller): Call => ({
    method: 'POST',
    path: '/v1/verify',
    body: JSON.stringify({ key: secret, env: 'live', sourceIp: '203.0.113.9' }),
  });
  const change = ({ id, token }: Caller): Call => ({
    method: 'PATCH',
    path: `/v1/keys/${id}`,
    token,
    body: JSON.stringify({ name: 'Another name' }),
  });
  return [
    {
      name: 'verification',
      url: server.verifyUrl,
      call: verify(probe),
      crowd: [verify(first)],
      // The first ones wait for connections of the crowd that Node, one a turn, has not taken yet.
      acceptedP99Ms: 500,
      cutWithinMs: 12_000,
    },
    {
      name: 'management',
      url: server.url,
      call: change(probe),
      crowd: [first, ...others].map(change),
      acceptedP99Ms: 1500,
      cutWithinMs: 22_000,
    },
  ];
}

type Caller = Awaited<ReturnType<typeof newCaller>>;

/** With a key of a team of its own. */
async function newCaller() {
  const teamId = randomUUID();
  const token = sessionToken({ [teamId]: both }, teamId);
  const { body } = await rest(server.url, token, 'POST', '/v1/keys', { teamId, name: 'A key', env: 'live' });
  return { token, id: String(body.id), secret: String(body.secret) };
}

/** Measures one client beside a crowd, and beside clients that hold connections. */
async function measure(port: Port, size: number, idle: Idle | null): Promise<void> {
  const crowd = idle === null ? `${size} clients` : `${idle.clients} ${idle.name}`;
  const violate = (what: string) => violations.push(`${port.name}, ${crowd}: ${what}`);
  progress(`${port.name}, ${crowd}`);
  const idleClients = idle && (await connectIdleClients(port.url, idle.clients, idle.start, idle.everySecond));
  const probe = startProbe(port);
  const memory = watchMemory();
  const requests = port.crowd.map(rawRequest);
  const served = await runWrk(port.url, { requests, connections: size }, seconds);
  if (idle?.areCut) {
    const deadline = performance.now() + port.cutWithinMs;
    const left = () => idle.clients - (idleClients?.closed() ?? 0);
    while (left() > 0 && performance.now() < deadline) await pause(50);
    if (left() > 0) violate(`${left()} were not cut off`);
  }
  const { accepted, rejected, strange } = await probe.stop();
  idleClients?.leave();
  const recoveredMs = await recoveryTime(port);
  const memoryMb = memory.stop();
  const [acceptedP99Ms, rejectedP99Ms] = [percentile(accepted, 0.99) || 0, percentile(rejected, 0.99) || 0];
  if (idle === null && served.errors !== '') violate(served.errors);
  if (accepted.length === 0) violate('no call was served');
  if (acceptedP99Ms > port.acceptedP99Ms) violate('accepted calls took too long');
  if (memoryMb > bounds.memoryMb) violate('too much memory');
  if (recoveredMs > bounds.recoveryMs) violate('recovery took too long');
  for (const answer of new Set(strange)) violate(`a call was answered with ${answer}`);
  measurements.push({
    port: port.name,
    crowd,
    servedPerSecond: Math.round(served.perSecond - served.rejectedPerSecond),
    rejectedPerSecond: Math.round(served.rejectedPerSecond),
    acceptedP99Ms: Math.round(acceptedP99Ms),
    rejectedP99Ms: Math.round(rejectedP99Ms),
    memoryMb: Math.round(memoryMb),
    recoveredMs: Math.round(recoveredMs),
  });
}

/** Returns a table with a row for each port: its busiest crowd, and the maxima of all crowds. */
function summaryOf(all: readonly Measured[]): string {
  const rows = [...new Set(all.map(({ port }) => port))].map((name) => {
    const own = all.filter(({ port }) => port === name);
    const busiest = own.find(({ crowd }) => crowd === `${10 * clients} clients`);
    const max = (field: 'acceptedP99Ms' | 'memoryMb' | 'recoveredMs') => Math.max(...own.map((one) => one[field]));
    return [
      name,
      busiest?.servedPerSecond ?? '',
      busiest?.rejectedPerSecond ?? '',
      `${busiest?.acceptedP99Ms} ms`,
      `${max('acceptedP99Ms')} ms`,
      `${max('memoryMb')} MB`,
      `${max('recoveredMs')} ms`,
    ];
  });
  const header = ['port', 'served/s', 'rejected/s', 'p99 of served', 'with slow or idle clients', 'memory'];
  return tableText([...header, 'normal again after'], rows);
}

/** Calls at a fixed rate until stopped. Returns latencies in milliseconds from when a call was due. */
function startProbe({ url, call }: Port) {
  // An address of its own, because one address gets only a share of the capacity.
  const client = new Client(Number(new URL(url).port), { connections: 1000, localAddress: '127.0.0.2' });
  const [accepted, rejected, strange]: [number[], number[], string[]] = [[], [], []];
  const stopping = new AbortController();
  const calls: Promise<void>[] = [];
  const startedAt = performance.now();
  const once = async (dueMs: number) => {
    const answer = await outcomeOf(client, call);
    const latencyMs = performance.now() - startedAt - dueMs;
    if (answer === 'accepted') accepted.push(latencyMs);
    else if (answer === 'rejected') rejected.push(latencyMs);
    else strange.push(answer);
  };
  const sending = atRate(probesPerSecond, (dueMs) => calls.push(once(dueMs)), stopping.signal);
  return {
    stop: async () => {
      stopping.abort();
      await sending;
      await Promise.all(calls);
      client.close();
      return { accepted, rejected, strange };
    },
  };
}

/** Returns `accepted`, `rejected` (503 with Retry-After), or what else came. */
async function outcomeOf(client: Client, call: Call): Promise<string> {
  const reply = await client.call(call);
  if (reply === null) return 'no answer';
  if (reply.status < 300) return 'accepted';
  return reply.status === 503 && reply.headers['retry-after'] !== undefined ? 'rejected' : String(reply.status);
}

/** How long it takes until twenty calls in a row are served, each within a tenth of a second. */
async function recoveryTime({ url, call }: Port): Promise<number> {
  const client = new Client(Number(new URL(url).port));
  const startedAt = performance.now();
  let served = 0;
  while (served < 20 && performance.now() - startedAt < 30_000) {
    const sentAt = performance.now();
    const answer = await outcomeOf(client, call);
    served = answer === 'accepted' && performance.now() - sentAt < 100 ? served + 1 : 0;
  }
  client.close();
  return performance.now() - startedAt;
}

/** `stop` returns the maximum of the service's resident memory. */
function watchMemory() {
  let maxMb = rssMb(server.pids);
  const timer = setInterval(() => {
    maxMb = Math.max(maxMb, rssMb(server.pids));
  }, 100);
  return {
    stop: () => {
      clearInterval(timer);
      return maxMb;
    },
  };
}
