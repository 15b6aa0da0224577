/** `npm run overload`: more clients than can be served, on both ports, and clients that only hold on to connections. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { startServer, temporaryDirectory } from '../bench/server.ts';
import { requireWrk } from '../bench/wrk.ts';
import { childrenOf } from '../support/processes.ts';
import { startProgress } from '../support/progress.ts';
import { both, rest, sessionToken } from '../support/service.ts';
import { call, sit } from './crowd.ts';
import { type Call, Probe, type Probed, send } from './probe.ts';

const seconds = 8;
/** Enough clients to keep one instance busy on this class of machine. */
const clients = 32;
const idleClients = 10_000;
/** The callers of management, each of a team of its own: one caller gets only a share of the capacity. */
const callers = 64;
const bounds = { memoryMb: 768, recoveryMs: 2000 };

interface Port {
  readonly name: string;
  /** Of one client that is measured. */
  readonly call: Call;
  /** Of the crowd. */
  readonly crowd: readonly [Call, ...Call[]];
  /** The maximum p99 of accepted calls, with any number of other clients. */
  readonly acceptedP99Ms: number;
  /** The time after which an incomplete request is cut off. */
  readonly cutWithinMs: number;
  /** The start of a request whose body never ends. */
  readonly head: string;
}

interface Row {
  readonly port: string;
  readonly crowd: string;
  readonly 'served/s': number;
  readonly 'rejected/s': number;
  readonly 'accepted p99 ms': number;
  readonly 'rejected p99 ms': number;
  readonly 'memory MB': number;
  readonly 'recovered ms': number;
}

requireWrk();
const directory = temporaryDirectory();
const server = await startServer(directory.path, { LOG_LEVEL: 'fatal' });
/** The number of crowds at each of the two ports. */
const crowds = 5;
const progress = startProgress(2 * crowds);
const rows: Row[] = [];
const violations: string[] = [];
try {
  for (const port of await ports()) {
    for (const times of [1, 10]) rows.push(await crowded(port, clients * times));
    await seated(port, 'headers sent slowly', 2000, port.head, 'X-A: b\r\n', true);
    await seated(port, 'bodies sent slowly', 2000, `${port.head}\r\n`, ' ', true);
    await seated(port, 'idle', idleClients, '', '', false);
  }
} finally {
  progress.stop();
  await server.stop();
  directory.remove();
}
console.table(rows);
for (const violation of violations) console.log(`VIOLATION: ${violation}`);
if (violations.length > 0) process.exitCode = 1;

async function ports(): Promise<Port[]> {
  const probe = await newCaller();
  const first = await newCaller();
  const others: Caller[] = [];
  while (others.length < callers - 1) others.push(await newCaller());
  const json = { 'Content-Type': 'application/json' };
  const verifyCall = ({ secret }: Caller): Call => ({
    url: `${server.verifyUrl}/v1/verify`,
    method: 'POST',
    headers: json,
    body: JSON.stringify({ key: secret, env: 'live', sourceIp: '203.0.113.9' }),
  });
  const changeCall = ({ id, token }: Caller): Call => ({
    url: `${server.url}/v1/keys/${id}`,
    method: 'PATCH',
    headers: { ...json, Authorization: `Bearer ${token}` },
    body: JSON.stringify({ name: 'Another name' }),
  });
  const length = 'Host: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n';
  return [
    {
      name: 'verification',
      call: verifyCall(probe),
      crowd: [verifyCall(first)],
      // The first ones wait for connections of the crowd that Node, one a turn, has not taken yet.
      acceptedP99Ms: 500,
      cutWithinMs: 12_000,
      head: `POST /v1/verify HTTP/1.1\r\n${length}`,
    },
    {
      name: 'management',
      call: changeCall(probe),
      crowd: [changeCall(first), ...others.map(changeCall)],
      acceptedP99Ms: 1500,
      cutWithinMs: 22_000,
      head: `PATCH /v1/keys/${first.id} HTTP/1.1\r\nAuthorization: Bearer ${first.token}\r\n${length}`,
    },
  ];
}

interface Caller {
  readonly token: string;
  readonly id: string;
  readonly secret: string;
}

/** With a key of a team of its own. */
async function newCaller(): Promise<Caller> {
  const teamId = randomUUID();
  const token = sessionToken({ [teamId]: both }, teamId);
  const { body } = await rest(server.url, token, 'POST', '/v1/keys', { teamId, name: 'A key', env: 'live' });
  return { token, id: String(body.id), secret: String(body.secret) };
}

async function crowded(port: Port, size: number): Promise<Row> {
  progress.next(`${port.name}, ${size} clients`);
  const probe = new Probe(port.call);
  const memory = watchMemory();
  const served = await call(port.crowd, size, seconds, directory.path);
  const recovered = await recovery(port);
  const probed = await probe.stop();
  if (served.errors !== '') violations.push(`${port.name}, ${size} clients: ${served.errors}`);
  return row(port, `${size} clients`, { served, probed, memoryMb: memory.stop(), recovered });
}

/** Clients that hold connections without completing a request, while others are served. */
async function seated(port: Port, what: string, size: number, text: string, trickle: string, areCut: boolean) {
  progress.next(`${port.name}, ${size} ${what}`);
  const sitting = await sit(port.call.url, size, text, trickle);
  const probe = new Probe(port.call);
  const memory = watchMemory();
  const served = await call(port.crowd, clients, seconds, directory.path);
  if (areCut) {
    const deadline = performance.now() + port.cutWithinMs;
    while (sitting.cut() < size && performance.now() < deadline) await pause(50);
    if (sitting.cut() < size) violations.push(`${port.name}, ${what}: ${size - sitting.cut()} were not cut off`);
  }
  const probed = await probe.stop();
  sitting.leave();
  const recovered = await recovery(port);
  rows.push(row(port, `${size} ${what}`, { served, probed, memoryMb: memory.stop(), recovered }));
}

/** How long it takes until twenty calls in a row are served, each within a tenth of a second. */
async function recovery(port: Port): Promise<number> {
  const startedAt = performance.now();
  let good = 0;
  while (good < 20 && performance.now() - startedAt < 30_000) {
    const sentAt = performance.now();
    const answer = await send(port.call).catch(() => 'broken');
    good = answer === 'accepted' && performance.now() - sentAt < 100 ? good + 1 : 0;
  }
  return performance.now() - startedAt;
}

interface Found {
  readonly served: { readonly perSecond: number; readonly rejectedPerSecond: number };
  readonly probed: Probed;
  readonly memoryMb: number;
  readonly recovered: number;
}

function row({ name, acceptedP99Ms }: Port, crowd: string, { served, probed, memoryMb, recovered }: Found): Row {
  const at = `${name}, ${crowd}:`;
  if (probed.accepted === 0) violations.push(`${at} no call was served`);
  if (probed.acceptedP99Ms > acceptedP99Ms) violations.push(`${at} accepted calls took too long`);
  if (memoryMb > bounds.memoryMb) violations.push(`${at} too much memory`);
  if (recovered > bounds.recoveryMs) violations.push(`${at} recovery took too long`);
  for (const strange of new Set(probed.strange)) violations.push(`${at} a call was answered with ${strange}`);
  return {
    port: name,
    crowd,
    'served/s': Math.round(served.perSecond),
    'rejected/s': Math.round(served.rejectedPerSecond),
    'accepted p99 ms': Math.round(probed.acceptedP99Ms),
    'rejected p99 ms': Math.round(probed.rejectedP99Ms),
    'memory MB': Math.round(memoryMb),
    'recovered ms': Math.round(recovered),
  };
}

/** The most resident memory that the service had. */
function watchMemory(): { readonly stop: () => number } {
  let most = 0;
  const look = () => {
    const resident = [server.pid, ...childrenOf(server.pid)].map((pid) => {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
    });
    most = Math.max(
      most,
      resident.reduce((sum, megabytes) => sum + megabytes, 0),
    );
  };
  look();
  const timer = setInterval(look, 100);
  return {
    stop: () => {
      clearInterval(timer);
      look();
      return most;
    },
  };
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
