/** Measures how long after the store's return an instance answers again, with one client that retries continuously. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { both, sessionToken } from '../support/service.ts';
import { type Call, Connection, type Reply } from './connection.ts';
import type { Instance } from './instances.ts';

export interface Recovery {
  readonly instance: string;
  /** From the store's return to the end of the first verification, and of the first change, that was not rejected. */
  readonly verdictMs: number;
  readonly changeMs: number;
}

const givenUpAfterMs = 10_000;
const pauseMs = 10;

/** Resolves when a plain connection gets an answer on this way, with the time. */
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
    const body = JSON.stringify({ teamId: this.#teamId, name: 'Probe', env: 'live' });
    const call = { method: 'POST', path: '/v1/keys', body, token: this.#token } as const;
    const reply = await this.#firstSuccess(this.#instance.port, () => call);
    if (reply === null) throw new Error(`no key for the probe of ${this.#instance.name}`);
    ({ id: this.#id, secret: this.#secret } = JSON.parse(reply.text));
  }

  async since(returned: number): Promise<Recovery> {
    const { name, port, verifyPort, verification } = this.#instance;
    const verify = { method: 'POST', path: '/v1/verify', body: JSON.stringify({ key: this.#secret }) } as const;
    const path = `/v1/keys/${this.#id}`;
    const rename = () =>
      ({ method: 'PATCH', path, body: JSON.stringify({ name: randomUUID() }), token: this.#token }) as const;
    // Consecutive connections go to different verification processes.
    const all = Array.from({ length: verification.length }, async () => {
      const [verdict, change] = await Promise.all([
        this.#firstSuccess(verifyPort, () => verify),
        this.#firstSuccess(port, rename),
      ]);
      return {
        verdict: verdict?.ended ?? Number.POSITIVE_INFINITY,
        change: change?.ended ?? Number.POSITIVE_INFINITY,
      };
    });
    const ended = await Promise.all(all);
    return {
      instance: name,
      verdictMs: Math.max(...ended.map(({ verdict }) => verdict)) - returned,
      changeMs: Math.max(...ended.map(({ change }) => change)) - returned,
    };
  }

  async #firstSuccess(port: number, call: () => Call): Promise<Reply | null> {
    const connection = new Connection(this.#instance.name, port);
    const deadline = performance.now() + givenUpAfterMs;
    try {
      while (performance.now() < deadline) {
        const reply = await connection.call(call());
        if (reply !== null && reply.status < 300) return reply;
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
      return null;
    } finally {
      connection.close();
    }
  }
}
