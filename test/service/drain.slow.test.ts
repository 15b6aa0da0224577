/** What an orchestrator and a load balancer see of an instance that stops, and of one whose store hangs. */
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { checkedFetch } from '../support/checked-fetch.ts';
import { temporaryDatabase } from '../support/databases.ts';
import { listen, type Received, send } from '../support/gateway.ts';
import { type Instance, killInstances, startInstance, until } from '../support/instance.ts';
import { processesOf } from '../support/processes.ts';
import { startService } from '../support/service.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { temporaryDirectory } from '../support/temporary-database.ts';

afterEach(killInstances);

const dataDirectory = () => temporaryDirectory().path;

const readyz = (origin: string) => send(origin, { path: '/readyz' });

/** Null if no server listens. */
const readyzOrNull = (origin: string): Promise<Received | null> => readyz(origin).catch(() => null);

async function drainingSeen({ url, verifyUrl }: Instance): Promise<void> {
  for (const origin of [url, verifyUrl]) {
    await until('draining', async () => (await readyz(origin)).body === '{"status":"draining"}');
  }
}

describe.each([1, 2])('with WORKERS=%i', (workers) => {
  it('while it drains, both ports say 503 draining, still serve, and ask clients to go elsewhere; then it exits 0', async () => {
    const graceMs = 6000;
    const instance = await startInstance({ DATA_DIR: dataDirectory(), DRAIN_GRACE_MS: String(graceMs) }, workers);
    const { url, verifyUrl } = instance;
    for (const origin of [url, verifyUrl]) {
      const answer = await checkedFetch(`${origin}/readyz`);
      expect([answer.status, await answer.json()]).toEqual([200, { status: 'ready' }]);
      expect(answer.headers.get('connection')).toBe('keep-alive');
      expect(await send(origin, { path: '/healthz' })).toMatchObject({ status: 200, body: '{"status":"ok"}' });
    }
    const told = Date.now();
    instance.process.kill('SIGTERM');
    await drainingSeen(instance);
    for (const origin of [url, verifyUrl]) {
      const answer = await checkedFetch(`${origin}/readyz`);
      expect([answer.status, await answer.json()]).toEqual([503, { status: 'draining' }]);
      expect([answer.headers.get('connection'), answer.headers.get('cache-control')]).toEqual(['close', 'no-store']);
      expect((await send(origin, { path: '/healthz' })).status).toBe(200);
    }
    const verdict = await checkedFetch(`${verifyUrl}/v1/verify`, { method: 'POST', body: '{"key": "x"}' });
    expect(await verdict.json()).toMatchObject({ code: 'MALFORMED' });
    expect(verdict.headers.get('connection')).toBe('close');
    expect((await send(url, { path: '/v1/keys' })).status).toBe(401);
    expect(Date.now() - told).toBeLessThan(graceMs);
    expect(await instance.exit).toBe(0);
    expect(Date.now() - told).toBeGreaterThanOrEqual(graceMs);
    expect(await readyzOrNull(verifyUrl)).toBeNull();
  });

  it('a second signal ends it immediately', async () => {
    const instance = await startInstance({ DATA_DIR: dataDirectory(), DRAIN_GRACE_MS: '300000' }, workers);
    instance.process.kill('SIGTERM');
    await drainingSeen(instance);
    instance.process.kill('SIGINT');
    expect(await instance.exit).toBe(1);
    expect(instance.output()).toContain('ended immediately by a second signal');
    expect(await readyzOrNull(instance.url)).toBeNull();
  });
});

it('processes that a terminal or systemd signals as well drain all the same', async () => {
  const instance = await startInstance({ DATA_DIR: dataDirectory(), DRAIN_GRACE_MS: '6000' }, 2);
  const { management, verification } = processesOf(instance.process.pid ?? 0);
  for (const pid of [management, ...verification]) process.kill(pid, 'SIGTERM');
  instance.process.kill('SIGTERM');
  await drainingSeen(instance);
  expect(await instance.exit).toBe(0);
  expect(instance.output()).toContain('"msg":"stopped"');
});

it('without a grace it stops within the second, although a client keeps its connection alive', async () => {
  const instance = await startInstance({ DATA_DIR: dataDirectory() });
  const agent = new Agent({ keepAlive: true });
  const call = request(`${instance.verifyUrl}/v1/verify`, { method: 'POST', agent });
  // Under way when the signal comes, so that its answer may still promise to keep the connection.
  call.flushHeaders();
  await once(call, 'socket');
  await readyz(instance.verifyUrl);
  const told = Date.now();
  instance.process.kill('SIGTERM');
  await until('rejected', async () => (await readyzOrNull(instance.verifyUrl)) === null);
  call.end('{"key": "x"}');
  const [response] = await once(call, 'response');
  expect(response.statusCode).toBe(200);
  response.resume();
  expect(await instance.exit).toBe(0);
  expect(Date.now() - told).toBeLessThan(7000);
  agent.destroy();
});

it('while the store hangs, both ports report it within seconds, and are ready again when it answers', async () => {
  const database = await temporaryDatabase('postgresql');
  const { port } = new URL(database.url);
  const proxy = await startTcpProxy(Number(port));
  const DATABASE_URL = database.url.replace(`:${port}/`, `:${proxy.port}/`);
  const running = await startService('postgresql', { DATABASE_URL });
  const verifyUrl = await listen(running.service.gateway);
  const origins = [running.url, verifyUrl];
  for (const origin of origins) expect((await readyz(origin)).status).toBe(200);
  proxy.blackHole();
  const startedAt = performance.now();
  for (const answer of await Promise.all([...origins, ...origins].map(readyz))) {
    expect(answer).toMatchObject({ status: 503, body: '{"status":"store unavailable"}' });
  }
  // Most of it for a busy machine.
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  expect((await send(verifyUrl, { path: '/healthz' })).status).toBe(200);
  // What was held back is lost, as when a network comes back too late.
  await proxy.cut();
  await proxy.restore();
  for (const origin of origins) await until('ready', async () => (await readyz(origin)).status === 200);
  running.service.gateway.closeAllConnections();
  running.service.gateway.close();
  await running.stop();
  await proxy.stop();
});
