/** `latchkey edge` as a process, started with the commands of docs/tasks/edge.md. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { at } from '../recipes/page.ts';
import { temporaryDatabase } from '../support/databases.ts';
import { blockOf } from '../support/documents.ts';
import { freePort } from '../support/free-port.ts';
import { type Instance, startBuilt } from '../support/instance.ts';
import { childrenOf } from '../support/processes.ts';
import { scrape } from '../support/scrape.ts';
import { both, graphql, jwtSecret, rest, sessionToken } from '../support/service.ts';
import type { TemporaryDatabase } from '../support/temporary-database.ts';

const [onTheMachine, onAnother] = [0, 1].map((index) => blockOf('docs/tasks/edge.md', 'Run an edge', index));
const feedToken = 'a-feed-token-of-this-test';
const team = '11111111-1111-4111-8111-111111111111';
const session = sessionToken({ [team]: both });

let database: TemporaryDatabase;
let service: Instance;
let edge: ChildProcess | undefined;
afterEach(async () => {
  edge?.kill('SIGKILL');
  await service.stop();
  await database.remove();
});

async function startService(tokens: object = { FEED_TOKENS: feedToken }): Promise<void> {
  database = await temporaryDatabase('sqlite');
  service = await startBuilt({ DATA_DIR: database.directory, JWT_SECRET: jwtSecret, ...tokens });
}

interface RunningEdge {
  readonly child: ChildProcess;
  readonly url: string;
  readonly metricsUrl: string;
  readonly output: () => string;
}

async function startEdge(commands: string, addresses: Readonly<Record<string, string>>): Promise<RunningEdge> {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const script = at(commands, { ...addresses, 'npx latchkey': 'exec node dist/cli/latchkey.js', 4002: String(port) });
  const child = spawn('sh', ['-c', `set -eu\n${script}`], {
    env: { PATH: process.env.PATH, METRICS_PORT: String(metricsPort) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  edge = child;
  let output = '';
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`the edge ended: ${output}`)));
    child.stdout.on('data', (chunk) => {
      output += chunk;
      if (output.includes('"msg":"ready"')) resolve();
    });
  });
  const [url, metricsUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${metricsPort}`];
  return { child, url, metricsUrl, output: () => output };
}

const startWith = (token: string) =>
  startEdge(onAnother ?? '', { '<the token>': token, 'https://latchkey.example.com': service.verifyUrl });

async function createKey() {
  const { body } = await rest(service.url, session, 'POST', '/v1/keys', { teamId: team, name: 'A key', env: 'live' });
  return { id: String(body.id), secret: String(body.secret) };
}

it('an edge verifies, measures, and after SIGTERM sends the use that it has counted; its token is in no output', async () => {
  await startService();
  const { child, url, metricsUrl, output } = await startWith(feedToken);
  const { id, secret } = await createKey();
  const verify = async () => (await rest(url, null, 'POST', '/v1/verify', { key: secret })).body.code;
  expect(await verify()).toBe('VALID');
  const metrics = await scrape(metricsUrl);
  expect(metrics.value('latchkey_verdicts_total', { code: 'VALID' })).toBe(1);
  expect(metrics.value('latchkey_confirmations_total', { outcome: 'answered' })).toBeGreaterThan(0);
  expect(Date.now() / 1000 - (metrics.value('latchkey_last_confirmation_timestamp_seconds') ?? 0)).toBeLessThan(60);
  const pids = [child.pid ?? 0, ...childrenOf(child.pid ?? 0)];
  for (const pid of pids) expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain(feedToken);
  expect(await verify()).toBe('VALID');
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
  expect(output()).not.toContain(feedToken);
  expect(output()).not.toContain(secret);
  const [from, to] = [-2, 2].map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString());
  const query =
    'query ($id: UUID!, $from: DateTime!, $to: DateTime!) { usage(keyId: $id, from: $from, to: $to) { code count } }';
  const { body } = await graphql(service.url, session, query, { id, from, to });
  const counts: readonly { readonly count: number }[] = body.data.usage;
  expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(2);
});

it('an edge on the machine of the service needs no token', async () => {
  await startService({});
  const { url } = await startEdge(onTheMachine ?? '', { 'http://127.0.0.1:4001': service.verifyUrl });
  const { secret } = await createKey();
  expect((await rest(url, null, 'POST', '/v1/verify', { key: secret })).body.code).toBe('VALID');
});

it('an edge with a wrong token answers 503, and its log says why without the token', async () => {
  await startService();
  const wrong = 'a-wrong-token-of-this-test';
  const { url, output } = await startWith(wrong);
  const { secret } = await createKey();
  expect(await rest(url, null, 'POST', '/v1/verify', { key: secret })).toMatchObject({ status: 503 });
  await expect.poll(output).toContain('FEED_TOKENS');
  expect(output()).not.toContain(wrong);
});

it('an edge that is started at the management port says so before anything is verified', async () => {
  await startService({});
  const { output } = await startEdge(onTheMachine ?? '', { 'http://127.0.0.1:4001': service.url });
  await expect.poll(output).toContain('This is the management port (PORT).');
});
