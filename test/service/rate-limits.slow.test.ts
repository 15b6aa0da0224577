/** A rate limit that several verification processes enforce together, over one store. */
import { Agent, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as after } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { teamId, token } from '../support/calls.ts';
import { providers, temporaryDatabase } from '../support/databases.ts';
import { killInstances, startInstance } from '../support/instance.ts';
import { rest } from '../support/service.ts';

afterEach(killInstances);

async function start(provider: (typeof providers)[number], limit: number) {
  const { directory: DATA_DIR, url: DATABASE_URL } = await temporaryDatabase(provider);
  const instance = await startInstance({ DATA_DIR, DATABASE_URL }, 3);
  const input = { teamId, name: 'A key', env: 'live', rateLimit: { limit, windowSeconds: 86_400 } };
  const { body } = await rest(instance.url, token, 'POST', '/v1/keys', input);
  return { ...instance, secret: String(body.secret) };
}

/** Returns when each request was accepted: twelve clients, each on a connection of its own, until all are rejected. */
async function useUp(verifyUrl: string, key: string, restMs: number): Promise<number[]> {
  const accepted: number[] = [];
  const client = async () => {
    // Connections go to the processes in turn.
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let rejectedAt = 0; rejectedAt === 0 || performance.now() < rejectedAt + restMs; ) {
      const code = await verify(agent, verifyUrl, key);
      if (code === 'VALID') accepted.push(performance.now());
      // A store that a busy machine does not let answer in time.
      else if (code !== 'UNAVAILABLE') expect(code).toBe('RATE_LIMITED');
      if (code === 'RATE_LIMITED' && rejectedAt === 0) rejectedAt = performance.now();
      await after(20);
    }
    agent.destroy();
  };
  await Promise.all(Array.from({ length: 12 }, client));
  return accepted.sort((a, b) => a - b);
}

function verify(agent: Agent, verifyUrl: string, key: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(`${verifyUrl}/v1/verify`, { method: 'POST', agent }, (response) => {
      json(response).then((verdict) => resolve((verdict as { code: string }).code), reject);
    });
    sent.on('error', reject).end(JSON.stringify({ key }));
  });
}

it.each(providers)(
  'three processes on %s enforce a limit together, and exceed it by far less than each alone would',
  async (provider) => {
    const limit = 1200;
    const { verifyUrl, secret } = await start(provider, limit);
    const accepted = await useUp(verifyUrl, secret, 2000);
    const reachedAt = accepted[limit - 1] ?? Number.NaN;
    const lastMs = (accepted.at(-1) ?? Number.NaN) - reachedAt;
    const perSecond = (limit / (reachedAt - (accepted[0] ?? 0))) * 1000;
    console.log(
      `${provider}: ${accepted.length - limit} above the limit of ${limit}, at ${perSecond.toFixed()} per second; the last ${lastMs.toFixed()} ms after it was reached`,
    );
    expect(accepted.length).toBeGreaterThanOrEqual(limit);
    // Each process alone would accept as many as the limit. The time is printed, because a busy machine needs longer.
    expect(accepted.length).toBeLessThan(3 * limit);
  },
);
