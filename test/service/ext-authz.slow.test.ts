/** The port for Envoy over gRPC in the built service: several processes share it, and it drains with them. */
import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { makeKey } from '../support/calls.ts';
import { extAuthzClient } from '../support/ext-authz.ts';
import { freePort } from '../support/free-port.ts';
import { type Instance, killInstances, startInstance, until } from '../support/instance.ts';
import { processesOf } from '../support/processes.ts';
import { scrape } from '../support/scrape.ts';
import { temporaryDirectory } from '../support/temporary-database.ts';

afterEach(killInstances);

async function start(workers: number, environment: NodeJS.ProcessEnv = {}): Promise<Instance> {
  const ports = { EXT_AUTHZ_PORT: String(await freePort()), METRICS_PORT: String(await freePort()) };
  return await startInstance({ DATA_DIR: temporaryDirectory().path, ...ports, ...environment }, workers);
}

function clientOf({ extAuthzUrl }: Instance) {
  const client = extAuthzClient(new URL(extAuthzUrl).host);
  onTestFinished(() => client.close());
  return client;
}

const requestOf = (secret: string) => ({ headers: [['authorization', `Bearer ${secret}`]] as const });

/** The processes that have answered on this port. */
async function answering({ metricsUrl }: Instance): Promise<string[]> {
  const metrics = await scrape(metricsUrl);
  const counted = (process: string) =>
    metrics.value('latchkey_http_request_duration_seconds_count', {
      port: 'verification',
      process,
      route: 'ext_authz',
      status: '2xx',
    });
  return ['verification-1', 'verification-2'].filter((process) => (counted(process) ?? 0) > 0);
}

it('several processes share the port, and one that is killed comes back on it', async () => {
  const instance = await start(2);
  const { secret } = await makeKey(instance);
  await until('both processes have answered', async () => {
    expect((await clientOf(instance).check(requestOf(secret))).allowed).toBe(true);
    return (await answering(instance)).length === 2;
  });
  const { verification } = processesOf(instance.process.pid ?? 0);
  const [killed = 0] = verification;
  process.kill(killed, 'SIGKILL');
  await until('it is replaced', () => {
    const { verification: now } = processesOf(instance.process.pid ?? 0);
    return now.length === 2 && !now.includes(killed);
  });
  await until('both processes answer again', async () => {
    const answer = await clientOf(instance)
      .check(requestOf(secret))
      .catch(() => null);
    if (answer !== null) expect(answer.allowed).toBe(true);
    return (await answering(instance)).length === 2;
  });
});

it('while it drains, it still answers, and says that it is not serving; then it exits 0 with connections open', async () => {
  const instance = await start(1, { DRAIN_GRACE_MS: '3000' });
  const { secret } = await makeKey(instance);
  const client = clientOf(instance);
  expect(await client.health()).toEqual({ status: 'SERVING' });
  instance.process.kill('SIGTERM');
  await until('it is draining', async () => JSON.stringify(await client.health()).includes('NOT_SERVING'));
  expect((await client.check(requestOf(secret))).allowed).toBe(true);
  expect(await instance.exit).toBe(0);
  expect(instance.output()).not.toContain(secret);
});

it('without EXT_AUTHZ_PORT, no process loads gRPC', () => {
  const bundles = readdirSync('dist', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
  const textOf = (name: string) => readFileSync(`dist/${name}`, 'utf8');
  const withGrpc = bundles.filter((name) => textOf(name).includes('grpc.max_receive_message_length'));
  expect(withGrpc.length).toBeGreaterThan(0);
  /** A bundle and all that it loads at once; `import()` loads later. */
  const loaded = (name: string, seen = new Set<string>()): Set<string> => {
    if (seen.has(name)) return seen;
    seen.add(name);
    const imports = textOf(name).matchAll(/^(?:import|export)\b[^;]*?from "(\.[^"]+)"|^import "(\.[^"]+)"/gm);
    for (const [, from, alone] of imports) {
      loaded(new URL(from ?? alone ?? '', `file:///${name}`).pathname.slice(1), seen);
    }
    return seen;
  };
  for (const entry of ['main.js', 'service/management.js', 'service/verification.js', 'cli/latchkey.js']) {
    expect(withGrpc.filter((name) => loaded(entry).has(name))).toEqual([]);
  }
  expect(loaded('service/verification.js').size).toBeGreaterThan(5);
});
