/**
 * How long calls take over a network: each without delay of the links, and with it. docs/evidence/latency.md says from which
 * round trips each time follows.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Call, Client } from '../../harness/client.ts';
import { progress } from '../../harness/print.ts';
import { random } from '../../harness/random.ts';
import { median, percentile } from '../../harness/statistics.ts';
import { both, sessionToken } from '../../support/service.ts';
import { verifyBody } from '../calls.ts';
import { type Hosts, startHosts } from './hosts.ts';

/** Of each direction of each link, so that R is twice and T four times that. */
const delayMs = 20;
const [R, T] = [2 * delayMs, 4 * delayMs];

/** One after the other. */
const calls = 40;
/** At random times, whatever the calls before them do. */
const randomCalls = 2500;
const meanPauseMs = 4;
/** They are not counted: until a process has seen a slow round, it renews its lease too late. */
const firstCalls = 500;

/** In milliseconds. `p99` only of calls at random times. */
export interface Latency {
  readonly median: number;
  readonly p99?: number;
}

export interface LatencyRow {
  readonly name: string;
  readonly leaseMs: number;
  /** From the round trips alone. */
  readonly expected: Latency & { readonly formula: string };
  readonly without: Latency;
  readonly delayed: Latency;
}

interface Measurement extends Pick<LatencyRow, 'name' | 'expected'> {
  readonly measure: (keys: TestKeys) => Promise<Latency>;
}

const noWait = { formula: '0', median: 0, p99: 0 };
/** A call waits for the round that is under way, and then for its own. */
const twoRounds = (name: string, ms: number) => ({ formula: `${name} to 2${name}`, median: 1.5 * ms, p99: 2 * ms });

const measurementsAt: ReadonlyMap<number, readonly Measurement[]> = new Map([
  [
    0,
    [
      measurement('instance, one at a time', { formula: 'R', median: R }, (keys) => keys.inTurn('A')),
      measurement('instance under load', twoRounds('R', R), (keys) => keys.atRandom('A')),
      measurement('instance, signed', { formula: '3R', median: 3 * R }, (keys) => keys.inTurn('A', true)),
      measurement('edge, one at a time', { formula: 'T', median: T }, (keys) => keys.inTurn('E1')),
      measurement('edge under load', twoRounds('T', T), (keys) => keys.atRandom('E1')),
    ],
  ],
  [20, [measurement('edge under load, lease shorter than T', twoRounds('T', T), (keys) => keys.atRandom('E1'))]],
  [
    200,
    [
      measurement('instance under load', noWait, (keys) => keys.atRandom('A')),
      measurement('edge under load', noWait, (keys) => keys.atRandom('E1')),
      measurement('edge under load, as its instance is', noWait, (keys) => keys.atRandom('E1', 'A')),
      measurement('revoke', { formula: '2R + L', median: 2 * R + 200 }, (keys) => keys.revokes()),
    ],
  ],
]);

function measurement(name: string, expected: Measurement['expected'], measure: Measurement['measure']): Measurement {
  return { name, expected, measure };
}

export async function measureLatencies(): Promise<readonly LatencyRow[]> {
  const rows: LatencyRow[] = [];
  for (const [leaseMs, measurements] of measurementsAt) {
    const hosts = await startHosts({ leaseMs, seed: 1 });
    try {
      const keys = await TestKeys.create(hosts);
      const all = async (quality: string) => {
        const found: Latency[] = [];
        for (const { name, measure } of measurements) {
          progress(`lease of ${leaseMs} ms, ${quality}: ${name}`);
          found.push(await measure(keys));
        }
        return found;
      };
      const without = await all('without delay');
      await hosts.use({ delayMs, loss: 0 });
      const delayed = await all('with delay');
      measurements.forEach(({ name, expected }, i) => {
        const [before, after] = [without[i], delayed[i]];
        if (before !== undefined && after !== undefined)
          rows.push({ name, leaseMs, expected, without: before, delayed: after });
      });
      keys.close();
    } finally {
      await hosts.stop();
    }
  }
  return rows;
}

interface CreatedKey {
  readonly id: string;
  readonly secret: string;
}

/** A team's keys, and clients of all ports. */
class TestKeys {
  readonly #token: string;
  readonly #teamId = randomUUID();
  readonly #management: Client;
  readonly #ports = new Map<string, Client>();
  readonly #toRevoke: CreatedKey[] = [];
  #plain: CreatedKey = { id: '', secret: '' };
  #signing: CreatedKey & { readonly signingSecret: string } = { id: '', secret: '', signingSecret: '' };

  private constructor({ instances, edges }: Hosts) {
    this.#token = sessionToken({ [this.#teamId]: both });
    this.#management = new Client(instances[0]?.port ?? 0);
    for (const { name, verifyPort } of [...instances, ...edges]) {
      this.#ports.set(name, new Client(verifyPort, { connections: 256 }));
    }
  }

  static async create(hosts: Hosts): Promise<TestKeys> {
    const keys = new TestKeys(hosts);
    keys.#plain = await keys.#create();
    const signing = await keys.#create();
    const { signingSecret } = await keys.#manage('POST', `/v1/keys/${signing.id}/signing/enable`);
    keys.#signing = { ...signing, signingSecret };
    for (let i = 0; i < 2 * calls; i += 1) keys.#toRevoke.push(await keys.#create());
    return keys;
  }

  /** Verifications one after the other. */
  async inTurn(port: string, isSigned = false): Promise<Latency> {
    const found: number[] = [];
    for (let i = 0; i < calls; i += 1) found.push(await this.#verify(port, isSigned));
    return { median: median(found) };
  }

  /** Verifications at a port, while others have as many. */
  async atRandom(port: string, ...others: readonly string[]): Promise<Latency> {
    const [latency] = await Promise.all([port, ...others].map((name) => this.#atRandom(name)));
    if (latency === undefined) throw new Error('one port was measured');
    return latency;
  }

  async #atRandom(port: string): Promise<Latency> {
    const sent: Promise<number>[] = [];
    let next = performance.now();
    while (sent.length < firstCalls + randomCalls) {
      next += -Math.log(1 - random.next()) * meanPauseMs;
      const rest = next - performance.now();
      if (rest > 0) await pause(rest);
      sent.push(this.#verify(port, false));
    }
    const found = (await Promise.all(sent)).slice(firstCalls);
    return { median: median(found), p99: percentile(found, 0.99) };
  }

  async revokes(): Promise<Latency> {
    const found: number[] = [];
    for (const { id } of this.#toRevoke.splice(0, calls)) {
      const startedAt = performance.now();
      await this.#manage('DELETE', `/v1/keys/${id}`);
      found.push(performance.now() - startedAt);
    }
    return { median: median(found) };
  }

  close(): void {
    for (const client of [this.#management, ...this.#ports.values()]) client.close();
  }

  async #create(): Promise<CreatedKey> {
    return await this.#manage('POST', '/v1/keys', { teamId: this.#teamId, name: 'A key', env: 'live' });
  }

  async #manage(method: string, path: string, body?: object) {
    const call: Call = { method, path, token: this.#token, ...(body && { body: JSON.stringify(body) }) };
    const reply = await this.#management.call(call);
    if (reply === null || reply.status >= 300) throw new Error(`${method} ${path}: ${reply?.text ?? 'no answer'}`);
    return JSON.parse(reply.text);
  }

  async #verify(port: string, isSigned: boolean): Promise<number> {
    const { id, secret } = isSigned ? this.#signing : this.#plain;
    const presented = { id, secrets: [secret], signingSecrets: [this.#signing.signingSecret] };
    const circumstances = { secret: 0, scopes: [], env: null, source: null, signedWith: isSigned ? 0 : null };
    const body = verifyBody(presented, circumstances);
    const reply = await this.#ports.get(port)?.call({ method: 'POST', path: '/v1/verify', body });
    if (reply == null || JSON.parse(reply.text).code !== 'VALID')
      throw new Error(`${port}: ${reply?.text ?? 'no answer'}`);
    return reply.ended - reply.started;
  }
}
