/** Measures how long after the store's return an instance answers again, with one client that retries continuously. */

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type Call, Client, type Reply } from '../../harness/client.ts';
import type { Server } from '../../harness/server.ts';
import { both, sessionToken } from '../../support/service.ts';

export interface Recovery {
  /** From the store's return to the end of the first verification, and of the first change, that was not rejected. */
  readonly verdictMs: number;
  readonly changeMs: number;
}

/** An instance, or an edge with the management port of one of its upstreams. */
type RecoveryTarget = Pick<Server, 'name' | 'port' | 'verifyPort' | 'verification'>;

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

export type RecoveryProbe = Awaited<ReturnType<typeof startProbe>>;

/** Sends calls to one target, with a key of its own. */
export async function startProbe({ name, port, verifyPort, verification }: RecoveryTarget) {
  const teamId = randomUUID();
  const token = sessionToken({ [teamId]: both });
  const body = JSON.stringify({ teamId, name: 'Probe', env: 'live' });
  const creation = await firstSuccess(port, () => ({ method: 'POST', path: '/v1/keys', body, token }));
  if (creation === null) throw new Error(`no key for the probe of ${name}`);
  const { id, secret } = JSON.parse(creation.text);
  const verify = () => ({ method: 'POST', path: '/v1/verify', body: JSON.stringify({ key: secret }) });
  const rename = () => ({
    method: 'PATCH',
    path: `/v1/keys/${id}`,
    body: JSON.stringify({ name: randomUUID() }),
    token,
  });
  const since = async (returned: number): Promise<Recovery> => {
    const slowestMs = async (at: number, call: () => Call) => {
      // Consecutive clients go to different verification processes.
      const replies = await Promise.all(Array.from(verification, () => firstSuccess(at, call)));
      return Math.max(...replies.map((reply) => reply?.ended ?? Number.POSITIVE_INFINITY)) - returned;
    };
    const [verdictMs, changeMs] = await Promise.all([slowestMs(verifyPort, verify), slowestMs(port, rename)]);
    return { verdictMs, changeMs };
  };
  return { name, since };
}

/** Retries until the timeout; then null. */
async function firstSuccess(port: number, call: () => Call): Promise<Reply | null> {
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
