/** How long after the store's return an instance answers again, asked again and again by somebody who does nothing else. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { both, sessionToken } from '../support/service.ts';
import { type Call, Connection } from './connection.ts';
import type { Instance } from './instances.ts';

export interface Recovery {
  readonly instance: string;
  /** From the store's return to the end of the first verification, and of the first change, that was not refused. */
  readonly verdictMs: number;
  readonly changeMs: number;
}

const givenUpAfterMs = 10_000;
const pauseMs = 10;

/** The moment at which a plain connection of our own gets an answer by this way. */
export async function storeAnswers(url: string): Promise<number> {
  for (;;) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 500, query_timeout: 500 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('SELECT 1');
      return performance.now();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    } finally {
      void client.end().catch(() => undefined);
    }
  }
}

/** Asks one instance, with a key of its own. */
export class RecoveryProbe {
  readonly #instance: Instance;
  readonly #teamId = randomUUID();
  readonly #token = sessionToken({ [this.#teamId]: both });
  #id = '';
  #secret = '';

  constructor(instance: Instance) {
    this.#instance = instance;
  }

  async createKey(): Promise<void> {
    const connection = new Connection(this.#instance.name, this.#instance.port);
    const body = JSON.stringify({ teamId: this.#teamId, name: 'Probe', env: 'live' });
    const reply = await connection.call({ method: 'POST', path: '/v1/keys', body, token: this.#token });
    connection.close();
    if (reply?.status !== 201) throw new Error(`no key for the probe of ${this.#instance.name}: ${reply?.text}`);
    ({ id: this.#id, secret: this.#secret } = JSON.parse(reply.text));
  }

  async since(returned: number): Promise<Recovery> {
    const { name, port, verifyPort, workers } = this.#instance;
    const verdict = { method: 'POST', path: '/v1/verify', body: JSON.stringify({ key: this.#secret }) } as const;
    const path = `/v1/keys/${this.#id}`;
    const change = () =>
      ({ method: 'PATCH', path, body: JSON.stringify({ name: randomUUID() }), token: this.#token }) as const;
    // Consecutive connections go to different workers.
    const all = Array.from({ length: Math.max(1, workers.length) }, async () => {
      const [verdictEnded, changeEnded] = await Promise.all([
        this.#firstSuccess(verifyPort, () => verdict),
        this.#firstSuccess(port, change),
      ]);
      return { verdict: verdictEnded, change: changeEnded };
    });
    const ended = await Promise.all(all);
    return {
      instance: name,
      verdictMs: Math.max(...ended.map(({ verdict }) => verdict)) - returned,
      changeMs: Math.max(...ended.map(({ change }) => change)) - returned,
    };
  }

  async #firstSuccess(port: number, call: () => Call): Promise<number> {
    const connection = new Connection(this.#instance.name, port);
    const deadline = performance.now() + givenUpAfterMs;
    try {
      while (performance.now() < deadline) {
        const reply = await connection.call(call());
        if (reply?.status === 200) return reply.ended;
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
      return Number.POSITIVE_INFINITY;
    } finally {
      connection.close();
    }
  }
}
