/** `WORKERS=n`: several processes share both ports and the store, and are seen as one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { providers, type TemporaryDatabase, temporaryDatabase } from './support/databases.ts';
import { freePort } from './support/embedded-postgres.ts';
import { both, jwtSecret, rest, sessionToken } from './support/service.ts';

let child: ChildProcess | undefined;
let database: TemporaryDatabase | undefined;

afterEach(async () => {
  child?.kill('SIGKILL');
  await database?.remove();
});

const guarantee =
  'on %s they come up together on an empty database, agree at once, are replaced when one dies, and stop together';

it.each(providers)(guarantee, async (provider) => {
  database = await temporaryDatabase(provider);
  const [port, verifyPort] = [await freePort(), await freePort()];
  child = spawn('node', ['dist/main.js'], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      VERIFY_PORT: String(verifyPort),
      DATA_DIR: database.directory,
      DATABASE_URL: database.url,
      JWT_SECRET: jwtSecret,
      WORKERS: '2',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const { stdout } = child;
  if (stdout === null) throw new Error('no output');
  const readyPids = new Set<number>();
  const readyWorkers = (count: number) =>
    new Promise<void>((resolve) => {
      stdout.on('data', (chunk) => {
        for (const line of String(chunk).split('\n')) {
          if (line.includes('"msg":"ready"')) readyPids.add(Number(JSON.parse(line).pid));
        }
        if (readyPids.size >= count) resolve();
      });
    });
  await readyWorkers(2);

  const url = `http://127.0.0.1:${port}`;
  const team = randomUUID();
  const token = sessionToken({ [team]: both });
  const { id, secret } = (await rest(url, token, 'POST', '/v1/keys', { teamId: team, name: 'x', env: 'live' })).body;
  // Connections go to the workers in turn: each of these keeps to one of them.
  const agents = Array.from({ length: 6 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  const verdicts = () => Promise.all(agents.map((agent) => verdict(agent, verifyPort, secret)));
  expect(new Set(await verdicts())).toEqual(new Set(['VALID']));
  for (let i = 0; i < 10; i += 1) {
    await rest(url, token, 'PATCH', `/v1/keys/${id}`, { allowedIps: i % 2 === 0 ? ['10.0.0.1'] : [] });
    expect(new Set(await verdicts())).toEqual(new Set([i % 2 === 0 ? 'SOURCE_NOT_ALLOWED' : 'VALID']));
  }
  await rest(url, token, 'DELETE', `/v1/keys/${id}`);
  expect(new Set(await verdicts())).toEqual(new Set(['REVOKED']));
  for (const agent of agents) agent.destroy();

  const [first = 0] = readyPids;
  // A worker that dies at once is not replaced for ever: it must have lived for two seconds.
  await new Promise((resolve) => setTimeout(resolve, 2100));
  const replaced = readyWorkers(3);
  process.kill(first, 'SIGKILL');
  await replaced;
  expect((await rest(url, null, 'GET', '/readyz')).status).toBe(200);

  child.kill('SIGTERM');
  const [code] = await exit;
  expect(code).toBe(0);
});

async function verdict(agent: Agent, port: number, key: string): Promise<string> {
  return await new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, method: 'POST', path: '/v1/verify', agent }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += String(chunk);
      });
      response.on('end', () => resolve(JSON.parse(text).code));
    });
    call.on('error', reject);
    call.end(JSON.stringify({ key }));
  });
}
