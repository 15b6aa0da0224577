/** Measures how long after the store's return an instance answers again, with one client that retries continuously. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { type Call, Client, type Reply } from '../load/client.ts';
import { pause } from '../load/schedule.ts';
import type { Server } from '../load/server.ts';
import { both, sessionToken } from '../support/service.ts';

export interface Recovery {
  /** From the store's return to the end of the first verification, and of the first change, that was not rejected. */
  readonly verdictMs: number;
  readonly changeMs: number;
}

/** An instance, or an edge with the management port of one of its upstreams. */
export type RecoveryTarget = Pick<Server, 'name' | 'port' | 'verifyPort' | 'verification'>;

const recoveryTimeoutMs = 10_000;
const retryMs = 10;

/** Resolves when a plain client gets an answer on this way, with the time. */
export async function storeAnswers(url: string): Promise<number> {
  for (;;) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 500, query_timeout: 500 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('SELECT 1');
      return performance.now();
    } catch {
      await pause(retryMs);
    } finally {
      void client.end().catch(() => undefined);
    }
  }
}

/** Sends calls to one target, with a key of its own. */
export class RecoveryProbe {
  readonly name: string;
  readonly #target: RecoveryTarget;
  readonly #teamId = randomUUID();
  readonly #token = sessionToken({ [this.#teamId]: both });
  #id = '';
  #secret = '';

  constructor(target: RecoveryTarget) {
    this.name = target.name;
    this.#target = target;
  }

  async createKey(): Promise<void> {
    const body = JSON.stringify({ teamId: this.#teamId, name: 'Probe', env: 'live' });
    const call = { method: 'POST', path: '/v1/keys', body, token: this.#token } as const;
    const reply = await this.#firstSuccess(this.#target.port, () => call);
    if (reply === null) throw new Error(`no key for the probe of ${this.name}`);
    ({ id: this.#id, secret: this.#secret } = JSON.parse(reply.text));
  }

  async since(returned: number): Promise<Recovery> {
    const { port, verifyPort, verification } = this.#target;
    const verify = { method: 'POST', path: '/v1/verify', body: JSON.stringify({ key: this.#secret }) } as const;
    const path = `/v1/keys/${this.#id}`;
    const rename = () =>
      ({ method: 'PATCH', path, body: JSON.stringify({ name: randomUUID() }), token: this.#token }) as const;
    // Consecutive clients go to different verification processes.
    const slowestMs = async (first: () => Promise<Reply | null>) => {
      const replies = await Promise.all(Array.from(verification, first));
      return Math.max(...replies.map((reply) => reply?.ended ?? Number.POSITIVE_INFINITY)) - returned;
    };
    const [verdictMs, changeMs] = await Promise.all([
      slowestMs(() => this.#firstSuccess(verifyPort, () => verify)),
      slowestMs(() => this.#firstSuccess(port, rename)),
    ]);
    return { verdictMs, changeMs };
  }

  async #firstSuccess(port: number, call: () => Call): Promise<Reply | null> {
    const client = new Client(port);
    const deadline = performance.now() + recoveryTimeoutMs;
    try {
      while (performance.now() < deadline) {
        const reply = await client.call(call());
        if (reply !== null && reply.status < 300) return reply;
        await pause(retryMs);
      }
      return null;
    } finally {
      client.close();
    }
  }
}
