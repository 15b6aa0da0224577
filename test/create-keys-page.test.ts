/** The programs of docs/tasks/create-keys-from-your-backend.md, each with a management key of its own. */
import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { blockOf } from './support/documents.ts';
import { startGateway, verifyAt } from './support/gateway.ts';
import { runGoTool, whyNoGo } from './support/go.ts';
import { inTests } from './support/in-tests.ts';
import { runCommand } from './support/instance.ts';
import { both, sessionToken } from './support/service.ts';
import { temporaryDirectory } from './support/temporary-database.ts';

const run = promisify(execFile);
const page = 'docs/tasks/create-keys-from-your-backend.md';
const gateway = inTests(() => startGateway('sqlite'));
const directory = mkdtempSync(join(temporaryDirectory().path, 'backend-'));

/** Runs commands of the page, as a person. */
async function command(section: string, replaced: Readonly<Record<string, string>>, line = 0): Promise<string> {
  let text = blockOf(page, section).trim().split('\n')[line] ?? '';
  for (const [from, to] of Object.entries(replaced)) text = text.replace(from, to);
  const [, , ...args] = text.split(' ');
  const LATCHKEY_TOKEN = sessionToken({ [gateway.teamId]: [...both, 'manage_access'] }, 'ada');
  const { exitCode, stdout, stderr } = await runCommand(args, { LATCHKEY_URL: gateway.running.url, LATCHKEY_TOKEN });
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  return `${stdout}${stderr}`;
}

async function newManagementKey(): Promise<{ readonly id: string; readonly secret: string }> {
  const replaced = { $TEAM: gateway.teamId, '203.0.113.0/24': '127.0.0.1' };
  const printed = await command('Make a management key', replaced);
  const [secret = ''] = /^lk_mgmt_\w{58}$/m.exec(printed) ?? [];
  const [id = ''] = /^[0-9a-f-]{36}(?= )/m.exec(printed) ?? [];
  return { id, secret };
}

/** Returns the secret that a program prints. */
async function secretBy(file: string, args: readonly string[], managementKey: string): Promise<string> {
  const env = {
    ...{ PATH: process.env.PATH, HOME: process.env.HOME, TEAM: gateway.teamId },
    ...{ LATCHKEY_URL: gateway.running.url, LATCHKEY_TOKEN: managementKey },
  };
  return (await run(file, args, { env })).stdout.trim();
}

async function programOf(section: string, name: string): Promise<string> {
  const file = join(directory, name);
  writeFileSync(file, blockOf(page, section));
  return file;
}

describe('a program makes a key for a customer', () => {
  const learned = { code: 'VALID', externalId: 'customer-42', env: 'live' };
  const expectKey = async (key: string) => expect((await verifyAt(gateway.url, { key })).body).toMatchObject(learned);

  it('with curl', async () => {
    const { secret } = await newManagementKey();
    const answer = JSON.parse(await secretBy('sh', ['-c', blockOf(page, 'With curl')], secret));
    await expectKey(answer.secret);
  });

  it('with Node.js', async () => {
    const { secret } = await newManagementKey();
    await expectKey(await secretBy('node', [await programOf('With Node.js', 'create.mjs')], secret));
  });

  it('with Python', async () => {
    const { secret } = await newManagementKey();
    await expectKey(await secretBy('python3', [await programOf('With Python', 'create.py')], secret));
  });

  it.skipIf(whyNoGo !== undefined)('with Go', { timeout: 120_000 }, async () => {
    const { secret } = await newManagementKey();
    const built = join(directory, 'create');
    await runGoTool('go', ['build', '-o', built, await programOf('With Go', 'main.go')], directory);
    await expectKey(await secretBy(built, [], secret));
  });

  it('until the management key is rotated, and then with its new secret, until it is revoked', async () => {
    const { id, secret } = await newManagementKey();
    const file = await programOf('With Node.js', 'again.mjs');
    const rotated = await command('Rotate and revoke it', { $ID: id });
    const [second = ''] = /^lk_mgmt_\w{58}$/m.exec(rotated) ?? [];
    await expectKey(await secretBy('node', [file], second));
    // Within the overlap, the call of the page with the earlier secret is a repeated one of the same caller.
    await expect(secretBy('node', [file], secret)).rejects.toThrow('KEY_ALREADY_CREATED');
    await command('Rotate and revoke it', { $ID: id }, 1);
    await expect(secretBy('node', [file], second)).rejects.toThrow('UNAUTHENTICATED');
  });
});
