/** A victim whose receiver is healthy: it renames keys at a fixed rate, and measures how soon the events arrive. */

import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '../../harness/client.ts';
import type { Server } from '../../harness/server.ts';
import { percentile } from '../../harness/statistics.ts';
import { type Arrival, Receiver } from '../../harness/webhook-receiver.ts';
import { rest } from '../../support/service.ts';
import { atRate } from '../at-rate.ts';
import type { Load } from './load.ts';
import { createKeys, type Tenant } from './tenants.ts';

const keyCount = 20;
const connections = 16;
/** How long `stop` waits for events that have not arrived. */
const lastArrivalsTimeoutMs = 10_000;

export class DeliveredEvents {
  readonly #server: Server;
  readonly #tenant: Tenant;
  readonly #receiver: Receiver;
  readonly #keys: readonly { readonly id: string }[];
  readonly webhookId: string;
  #names = 0;

  private constructor(server: Server, tenant: Tenant, receiver: Receiver, keys: DeliveredEvents['keys'], id: string) {
    this.#server = server;
    this.#tenant = tenant;
    this.#receiver = receiver;
    this.#keys = keys;
    this.webhookId = id;
  }

  static async prepare(server: Server, tenant: Tenant): Promise<DeliveredEvents> {
    const receiver = await Receiver.start(() => 204);
    const keys = await createKeys(server, tenant, keyCount);
    const { id, secret } = await createWebhook(server, tenant, receiver.url);
    receiver.secrets.push(secret);
    return new DeliveredEvents(server, tenant, receiver, keys, id);
  }

  get keys() {
    return this.#keys;
  }

  async close(): Promise<void> {
    await this.#receiver.refuse();
  }

  /** Latencies are those from the answer of a change to the arrival of its event. */
  async start(perSecond: number): Promise<Load> {
    const [client, stopping] = [new Client(this.#server.port, { connections }), new AbortController()];
    const startedAt = performance.now();
    const answered = new Map<string, number>();
    const calls = new Set<Promise<void>>();
    let rejected = 0;
    const rename = async () => {
      this.#names += 1;
      const name = `Renamed ${this.#names}`;
      const { id = '' } = this.#keys[this.#names % this.#keys.length] ?? {};
      const { token } = this.#tenant;
      const reply = await client.call({
        method: 'PATCH',
        path: `/v1/keys/${id}`,
        body: JSON.stringify({ name }),
        token,
      });
      if (reply?.status === 200) answered.set(name, reply.ended);
      else rejected += 1;
    };
    const from = this.#receiver.arrivals.length;
    const sending = atRate(
      perSecond,
      () => {
        const call = rename().finally(() => calls.delete(call));
        calls.add(call);
      },
      stopping.signal,
    );
    return {
      stop: async () => {
        stopping.abort();
        const seconds = (performance.now() - startedAt) / 1000;
        await sending;
        await Promise.all(calls);
        client.close();
        const deadline = performance.now() + lastArrivalsTimeoutMs;
        const missing = () => {
          const arrived = arrivalsByName(this.#receiver.arrivals.slice(from));
          return [...answered.keys()].filter((name) => !arrived.has(name)).length;
        };
        while (missing() > 0 && performance.now() < deadline) await pause(50);
        const arrived = arrivalsByName(this.#receiver.arrivals.slice(from));
        const now = performance.now();
        const latencies = [...answered].map(([name, ended]) => Math.max(0, (arrived.get(name) ?? now) - ended));
        return {
          seconds,
          served: answered.size - missing(),
          rejected,
          others: missing() > 0 ? { 'events not delivered': missing() } : {},
          p50Ms: percentile(latencies, 0.5),
          p99Ms: percentile(latencies, 0.99),
          maxMs: percentile(latencies, 1),
          ownDelayP99Ms: Number.NaN,
        };
      },
    };
  }
}

export async function createWebhook({ url }: Server, { team, token }: Tenant, receiver: string) {
  const answer = await rest(url, token, 'POST', '/v1/webhooks', { teamId: team, url: receiver });
  if (answer.status !== 201) throw new Error(`no webhook: ${answer.status} ${JSON.stringify(answer.body)}`);
  const created: { readonly id: string; readonly secret: string } = answer.body;
  return created;
}

/** When the event of each name arrived first. */
function arrivalsByName(arrivals: readonly Arrival[]): ReadonlyMap<string, number> {
  const first = new Map<string, number>();
  for (const { body, at } of arrivals) {
    const name = JSON.parse(body).data.changes?.[0]?.after;
    if (typeof name === 'string' && !first.has(name)) first.set(name, at);
  }
  return first;
}
