/** Latencies of a deployment on hosts, and what docs/evidence/latency.md predicts from the round trip of its links. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { signRequest } from '../../../src/client/sign.ts';
import { Client } from '../../load/client.ts';
import { Random } from '../../load/random.ts';
import { pause } from '../../load/schedule.ts';
import { median, percentile } from '../../load/statistics.ts';
import { both, sessionToken } from '../../support/service.ts';
import { type Hosts, startHosts } from './hosts.ts';

export interface LatencyPlan {
  readonly leaseMs: number;
  /** One way, of every link. */
  readonly delayMs: number;
  /** Of calls that come at random times, and the number of single ones. */
  readonly calls: number;
  readonly singleCalls: number;
}

export interface Latency {
  readonly what: string;
  /** What docs/evidence/latency.md states, with R for the round trip of a link, and L for the lease. */
  readonly formula: string;
  readonly formulaMs: number;
  /** What the same call takes over links without delay, beyond the formula: the work itself. */
  readonly workMs: number;
  readonly measuredMs: number;
}

/** Milliseconds of one call after the other. */
type Single = () => Promise<number>;

/** Of calls at random times, on average. Short, so that rounds and leases follow each other without a gap. */
const meanGapMs = 4;

/** The measured round trip of a link, and the latencies. */
export async function measureLatencies(plan: LatencyPlan) {
  const { leaseMs, delayMs } = plan;
  const hosts = await startHosts({ leaseMs, seed: 1 });
  try {
    const kinds = await kindsOfCalls(hosts, plan);
    const fast: number[][] = [];
    for (const { measure } of kinds) fast.push(await measure());
    await hosts.use({ delayMs, loss: 0 });
    const roundTripMs = await measureRoundTrip(hosts, delayMs);
    const latencies: Latency[] = [];
    for (const [i, { what, measure, shares }] of kinds.entries()) {
      const measured = await measure();
      for (const { name, share, formula, msOf } of shares) {
        const workMs = Math.max(0, percentile(fast[i] ?? [], share) - msOf(0));
        const measuredMs = percentile(measured, share);
        latencies.push({ what: `${what}${name}`, formula, formulaMs: msOf(roundTripMs), workMs, measuredMs });
      }
    }
    return { roundTripMs, latencies };
  } finally {
    await hosts.stop();
  }
}

interface Kind {
  readonly what: string;
  /** Milliseconds of each call. */
  readonly measure: () => Promise<number[]>;
  readonly shares: readonly Share[];
}

/** In so many of the calls, the time is at most that of the formula. */
interface Share {
  readonly name: string;
  readonly share: number;
  readonly formula: string;
  readonly msOf: (roundTripMs: number) => number;
}

/** The statements of a revoke that PostgreSQL answers one after the other. */
const revokeRoundTrips = 7;

async function kindsOfCalls({ instances, edges }: Hosts, plan: LatencyPlan): Promise<Kind[]> {
  const { leaseMs, delayMs, calls, singleCalls } = plan;
  const [a, e1] = [instances[0], edges[0]];
  if (a === undefined || e1 === undefined) throw new Error('there is no instance or no edge');
  const subject = await createSubject(a.port);
  const single = (what: string, formula: string, msOf: Share['msOf'], call: Single): Kind => ({
    what,
    measure: () => oneByOne(singleCalls, call),
    shares: [{ name: '', share: 0.5, formula, msOf }],
  });
  const kinds: Kind[] = [];
  for (const { at, port, trips, trip } of [
    { at: 'instance', port: a.verifyPort, trips: 1, trip: 'R' },
    { at: 'edge', port: e1.verifyPort, trips: 2, trip: '2R' },
  ]) {
    const verify = verifierOf(port, subject.secret);
    if (leaseMs === 0) kinds.push(single(`${at}, one call at a time`, trip, (r) => trips * r, verify));
    const isLeased = leaseMs > trips * 2 * delayMs;
    const shares = isLeased ? sharesWithLease(trip, trips, leaseMs) : sharesOfRounds(trip, trips);
    kinds.push({ what: `${at}, calls at random times, `, measure: () => atRandomTimes(calls, verify), shares });
  }
  if (leaseMs === 0)
    kinds.push(single('instance, signed', '3R', (r) => 3 * r, signedVerifierOf(a.verifyPort, subject)));
  const formula = `${revokeRoundTrips}R + L`;
  kinds.push(
    single(
      'revoke',
      formula,
      (r) => revokeRoundTrips * r + leaseMs,
      () => revoke(a.port),
    ),
  );
  return kinds;
}

/** The calls are uniformly distributed over a round. */
function sharesOfRounds(trip: string, trips: number): Share[] {
  return [
    { name: 'median', share: 0.5, formula: `1.5 × ${trip}`, msOf: (r) => 1.5 * trips * r },
    { name: '99%', share: 0.99, formula: `1.99 × ${trip}`, msOf: (r) => 1.99 * trips * r },
  ];
}

/** The calls are uniformly distributed over the time from one lease to the next. */
function sharesWithLease(trip: string, trips: number, leaseMs: number): Share[] {
  const share = (name: string, share: number, rest: string): Share => ({
    name,
    share,
    formula: `${trip} − ${rest}, or 0`,
    msOf: (r) => Math.max(0, trips * r - (1 - share) * leaseMs),
  });
  return [share('median', 0.5, 'L/2'), share('99%', 0.99, 'L/100')];
}

/** The time in which a kernel accepts a connection over a link of this delay. Servers take no part in it. */
async function measureRoundTrip({ instances, ownLink }: Hosts, delayMs: number): Promise<number> {
  const url = new URL(instances[0]?.url ?? '');
  await ownLink.use({ delayMs, loss: 0 });
  const values = await oneByOne(51, async () => {
    const started = performance.now();
    const socket = connect(Number(url.port), url.hostname);
    await once(socket, 'connect');
    const ms = performance.now() - started;
    socket.destroy();
    return ms;
  });
  await ownLink.use({ delayMs: 0, loss: 0 });
  return median(values);
}

async function oneByOne(count: number, single: Single): Promise<number[]> {
  const values: number[] = [];
  for (let i = 0; i < count; i += 1) values.push(await single());
  return values;
}

async function atRandomTimes(count: number, single: Single): Promise<number[]> {
  const random = new Random(count);
  const running: Promise<number>[] = [];
  let dueMs = performance.now();
  for (let i = 0; i < count; i += 1) {
    // The gaps of a Poisson process.
    dueMs -= meanGapMs * Math.log(1 - random.next());
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await pause(waitMs);
    running.push(single());
  }
  return await Promise.all(running);
}

const teamId = randomUUID();
const token = sessionToken({ [teamId]: both });

async function createKey(port: number): Promise<{ readonly id: string; readonly secret: string }> {
  const client = new Client(port);
  const body = JSON.stringify({ teamId, name: 'Measured', env: 'live' });
  const reply = await client.call({ method: 'POST', path: '/v1/keys', body, token });
  client.close();
  if (reply?.status !== 201) throw new Error(`no key was created: ${reply?.text}`);
  return JSON.parse(reply.text);
}

type Subject = Awaited<ReturnType<typeof createSubject>>;

/** A key without, and one with signatures. */
async function createSubject(port: number) {
  const [{ secret }, signed] = [await createKey(port), await createKey(port)];
  const client = new Client(port);
  const reply = await client.call({ method: 'POST', path: `/v1/keys/${signed.id}/signing/enable`, token });
  client.close();
  const { signingSecret } = JSON.parse(reply?.text ?? '{}');
  return { secret, signed: { ...signed, signingSecret } };
}

/** At most so many calls are under way at once. */
const connections = 64;

function verifierOf(port: number, secret: string): Single {
  const client = new Client(port, { connections });
  const body = JSON.stringify({ key: secret });
  return () => validMs(client, body);
}

function signedVerifierOf(port: number, { signed: { id, secret, signingSecret } }: Subject): Single {
  const client = new Client(port, { connections });
  const request = { method: 'GET', url: 'https://api.example.test/orders' };
  return () => {
    const headers = signRequest(request, { keyId: id, signingSecret, expiresInSeconds: 300 });
    return validMs(client, JSON.stringify({ key: secret, request: { ...request, headers } }));
  };
}

async function validMs(client: Client, body: string): Promise<number> {
  const reply = await client.call({ method: 'POST', path: '/v1/verify', body });
  if (reply === null || !JSON.parse(reply.text).valid) throw new Error(`not valid: ${reply?.text}`);
  return reply.ended - reply.started;
}

async function revoke(port: number): Promise<number> {
  const { id } = await createKey(port);
  const client = new Client(port);
  const reply = await client.call({ method: 'DELETE', path: `/v1/keys/${id}`, token });
  client.close();
  if (reply?.status !== 200) throw new Error(`not revoked: ${reply?.text}`);
  return reply.ended - reply.started;
}
