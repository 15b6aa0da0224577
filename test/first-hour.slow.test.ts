/** docs/start/first-hour.md works from top to bottom, as a reader goes through it. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { at } from './recipes/page.ts';
import { blockOf } from './support/documents.ts';
import { freePort } from './support/free-port.ts';
import { startBuilt, until } from './support/instance.ts';

const run = promisify(execFile);
const guide = 'docs/start/first-hour.md';
const creation = blockOf(guide, 'Create a key');
const installation = blockOf(guide, 'Protect an API');
const requests = blockOf(guide, 'Protect an API', 1);
const revocation = blockOf(guide, 'Protect an API', 2);
const application = blockOf('README.md', 'Protect an Express API');

let directory: string;
let api: ChildProcess | undefined;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'latchkey-first-hour-'));
});
afterAll(async () => {
  api?.kill('SIGKILL');
  await rm(directory, { recursive: true });
});

it('creates a key, protects an API with it, and rejects it there once it is revoked or Latchkey is stopped', async () => {
  const data = { DATA_DIR: join(directory, 'data') };
  const service = await startBuilt(data);
  const apiPort = String(await freePort());
  const folder = join(directory, 'orders');
  const shell = async (commands: string, cwd = '.') => {
    const env = {
      ...process.env,
      ...data,
      XDG_CONFIG_HOME: directory,
      LATCHKEY_URL: service.url,
      LATCHKEY_VERIFY_URL: service.verifyUrl,
      // Packs what is built, so that other tests that use it are not disturbed.
      npm_config_ignore_scripts: 'true',
      npm_config_prefer_offline: 'true',
      npm_config_audit: 'false',
    };
    const here = commands.replaceAll('../orders', folder).replaceAll('localhost:3000', `localhost:${apiPort}`);
    return (await run('sh', ['-euc', here], { cwd, env })).stdout;
  };
  const statuses = (output: string) => output.match(/^\d{3}$/gm);

  const created = await shell(creation);
  expect(created).toMatch(/^valid +true$/m);
  expect(created).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=\S+$/m);

  await shell(installation);
  const addresses = { '127.0.0.1:4001': new URL(service.verifyUrl).host, '3000': apiPort };
  await writeFile(join(folder, 'api.mjs'), at(application, addresses));
  api = spawn('node', ['api.mjs'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  // Its client allows a second for a verdict, which may not suffice for the first one.
  await until('it verifies', async () => {
    const answer = await fetch(`http://localhost:${apiPort}`, { headers: { authorization: 'Bearer a-guess' } }).catch(
      () => null,
    );
    return answer?.status === 401;
  });
  expect(statuses(await shell(requests, folder))).toEqual(['200', '401']);

  const trail = await shell(revocation);
  expect(trail).toContain('"action":"KEY_REVOKED"');
  const rejected = await shell(requests, folder);
  expect([statuses(rejected), rejected.includes('"REVOKED"')]).toEqual([['401', '401'], true]);

  expect(await service.stop()).toBe(0);
  expect(statuses(await shell(requests, folder))).toEqual(['503', '401']);
});
