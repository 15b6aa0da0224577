/** The API of docs/tasks/migrating.md, while its keys move: it verifies here first, and falls back to its old check. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { importKeys } from '../../src/manage/change/import-keys.ts';
import { blockOf, sectionOf } from '../support/documents.ts';
import { freePort } from '../support/free-port.ts';
import { send, startGateway, stopListening, verifyAt } from '../support/gateway.ts';
import { until } from '../support/instance.ts';
import { callerOf, importing } from '../support/service.ts';
import { at, variablesOf } from './page.ts';

const page = 'docs/tasks/migrating.md';
const [, variables = ''] = /`(UNKNOWN_KEY_LIMIT=\d+)`/.exec(sectionOf(page, 'Move the API').prose) ?? [];

const [imported, forgotten, alsoForgotten] = ['sk_imported_8c2dWm', 'sk_forgotten_1xYq0s', 'lk_live_AAAAAAAA_other'];
/** The check of the other system, which knows nothing of Latchkey. */
const oldCheck = `const owners = new Map(${JSON.stringify([
  [imported, 'customer-1'],
  [forgotten, 'customer-2'],
  [alsoForgotten, 'customer-3'],
])});
export const ownerOf = async (key) => owners.get(key) ?? null;
`;

it('accepts imported keys by Latchkey and others by the old check, logs their owners, and rejects a key that was revoked here', async () => {
  const gateway = await startGateway('sqlite', variablesOf(variables));
  onTestFinished(() => gateway.stop());
  const { teamId, management } = gateway;
  const digest = createHash('sha256').update(imported).digest('hex');
  const keys = [{ digest, name: 'Customer 1', env: 'live' as const, externalId: 'customer-1' }];
  await importKeys(management, callerOf({ [teamId]: importing }), { teamId, keys, dryRun: false });
  const { secret, id } = await gateway.issue({ externalId: 'customer-4' });

  const directory = mkdtempSync(join(tmpdir(), 'latchkey-migrating-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const port = await freePort();
  symlinkSync(resolve('node_modules'), join(directory, 'node_modules'));
  writeFileSync(join(directory, 'old-check.mjs'), oldCheck);
  const program = at(blockOf(page, 'Move the API'), { 'http://127.0.0.1:4001': gateway.url, '3000': String(port) });
  writeFileSync(join(directory, 'api.mjs'), program);
  const child = spawn('node', [join(directory, 'api.mjs')], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let log = '';
  child.stderr.on('data', (part) => {
    log += part;
  });
  const ask = async (key: string | null) => {
    const headers = key === null ? {} : { 'x-api-key': key };
    const { status, body } = await send(`http://127.0.0.1:${port}`, { path: '/orders', elsewhere: true, headers });
    return status === 200 ? JSON.parse(body).owner : status;
  };
  await until('the API answers', () =>
    ask(imported).then(
      (answer) => answer === 'customer-1',
      () => false,
    ),
  );
  expect(log).toBe('');

  expect([await ask(imported), await ask(secret)]).toEqual(['customer-1', 'customer-4']);
  expect([await ask(forgotten), await ask(alsoForgotten)]).toEqual(['customer-2', 'customer-3']);
  await until('both are logged', () => log.split('\n').length === 3);
  expect(log).toBe('A key of customer-2 is not imported yet\nA key of customer-3 is not imported yet\n');
  expect([await ask(null), await ask('sk_unknown')]).toEqual([401, 401]);
  // More than the usual limit of unknown keys in a minute. Ten at a time, because the API does not wait long for a verdict.
  for (let asked = 0; asked < 150; asked += 10) {
    const some = await Promise.all(Array.from({ length: 10 }, () => ask(forgotten)));
    expect(new Set(some)).toEqual(new Set(['customer-2']));
  }

  const { keyId } = (await verifyAt(gateway.url, { key: imported })).body;
  for (const one of [keyId, id]) await gateway.revoke(one);
  expect([await ask(imported), await ask(secret)]).toEqual([403, 403]);
  await stopListening(gateway.running.service.gateway);
  expect([await ask(imported), await ask(forgotten)]).toEqual([503, 503]);
});
