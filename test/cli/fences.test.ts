// SECURITY.md: A key
/** `latchkey freeze`, `fences`, `receipt` and tripwires: what a person does in an incident, and what is refused. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startGateway, verifyAt } from '../support/gateway.ts';
import { inTests } from '../support/in-tests.ts';
import { runCommand } from '../support/instance.ts';
import { both, sessionToken } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-database.ts';
import { runAtTerminal } from '../support/terminal.ts';

const gateway = inTests(() => startGateway('sqlite'));
const directory = mkdtempSync(join(temporaryDirectory().path, 'fences-'));
const environment = () => ({
  LATCHKEY_URL: gateway.running.url,
  LATCHKEY_VERIFY_URL: gateway.url,
  LATCHKEY_TOKEN: sessionToken({ [gateway.teamId]: both }),
});
const run = (args: readonly string[]) => runCommand(args, environment());

async function json(...args: string[]) {
  const { stdout, exitCode } = await run([...args, '--json']);
  expect(exitCode).toBe(0);
  return JSON.parse(stdout);
}

const reason = ['--reason', 'The build server was broken into'];
const codeOf = async (key: string) => (await verifyAt(gateway.url, { key })).body.code;
const stored = (name: string, content: string) => {
  const file = join(directory, name);
  writeFileSync(file, content);
  return file;
};

describe('freeze', () => {
  it('freezes the keys that meet all conditions, and fences lift lets them work again', async () => {
    const create = (env: string, ...tags: string[]) =>
      json('keys', 'create', '--name', 'A job', '--env', env, ...tags.flatMap((tag) => ['--tag', tag]));
    const covered = await create('live', 'ci', 'eu');
    const others = [await create('live', 'ci'), await create('test', 'ci', 'eu')];
    const conditions = ['--env', 'live', '--tag', 'ci', '--tag', 'eu', '--created-before', '2999-01-01'];
    const frozen = await run(['freeze', ...conditions, '--until', '2h from now', ...reason]);
    const [, id = ''] = /^Frozen: 1 key, by the fence ([0-9a-f-]{36})$/m.exec(frozen.stdout) ?? [];
    expect(frozen.stderr).toMatch(/^The receipt: latchkey receipt \S+ --wait\n$/);
    expect(await codeOf(covered.secret)).toBe('FROZEN');
    for (const { secret } of others) expect(await codeOf(secret)).toBe('VALID');
    const listed = (await run(['fences', 'list'])).stdout;
    expect(listed).toMatch(/^ID +SINCE +UNTIL +KEYS +REASON +BY\n/);
    for (const text of [id, 'env=live', 'tag=ci tag=eu', 'createdBefore=2999', 'The build server']) {
      expect(listed).toContain(text);
    }
    expect((await run(['fences', 'lift', id])).stdout).toBe(`Lifted ${id}\n`);
    expect(await codeOf(covered.secret)).toBe('VALID');
    expect(await json('fences', 'list')).toEqual([]);
    expect((await run(['fences', 'lift', id])).stderr).toMatch(/^FENCE_NOT_FOUND: /);
  });

  it('only counts in a dry run, and at a terminal asks before', async () => {
    const { secret } = await gateway.issue({ externalId: 'customer-9' });
    const conditions = ['--external-id', 'customer-9', ...reason];
    expect(await json('freeze', '--dry-run', ...conditions)).toEqual({ keys: 1, calls: 0 });
    const command = `latchkey freeze --external-id customer-9 --reason Drill`;
    const ask = (answer: string) =>
      runAtTerminal(command, environment(), [{ after: 'Freeze 1 key', text: `${answer}\r` }]);
    expect((await ask('n')).exitCode).not.toBe(0);
    expect(await codeOf(secret)).toBe('VALID');
    expect((await ask('y')).screen).toContain('Frozen: 1 key');
    expect(await codeOf(secret)).toBe('FROZEN');
    const [{ id }] = await json('fences', 'list');
    await json('fences', 'lift', id);
  });

  it.each([
    ['without a reason', ['freeze'], /--reason/],
    ['with a time that is none', ['freeze', ...reason, '--until', 'soon'], /--until/],
    ['until a moment that is nearly there', ['freeze', ...reason, '--until', '1m from now'], /until/],
    ['with an unknown environment', ['freeze', ...reason, '--env', 'prod'], /live, test/],
  ])('%s is refused, and freezes nothing', async (_, args, problem) => {
    const { stderr, exitCode } = await run(args);
    expect(exitCode).not.toBe(0);
    expect(stderr).toMatch(problem);
    expect(await json('fences', 'list')).toEqual([]);
  });
});

describe('receipt', () => {
  async function receiptOf(id: string) {
    await run(['keys', 'revoke', id]);
    const [{ id: entry }] = JSON.parse(`[${(await run(['audit', 'export', '--limit', '1'])).stdout}]`);
    return await json('receipt', entry, '--wait');
  }
  const keys = async () =>
    stored('keys.json', await (await fetch(`${gateway.running.url}/.well-known/latchkey-receipts.json`)).text());

  it('verify accepts what the service has signed, and nothing that was changed', async () => {
    const { id } = await gateway.issue();
    const receipt = await receiptOf(id);
    const verify = async (content: unknown) =>
      run(['receipt', 'verify', stored('receipt.json', JSON.stringify(content)), '--keys', await keys()]);
    expect(receipt.statement).toMatchObject({ complete: true, answeredAt: expect.any(String) });
    const good = await verify(receipt);
    expect([good.exitCode, good.stderr]).toEqual([0, 'The signature is valid.\n']);
    expect(good.stdout).toMatch(/^KEY_REVOKED: .*\nrequested /);
    const statement = { ...receipt.statement, answeredAt: '2020-01-01T00:00:00.000Z' };
    const payload = Buffer.from(JSON.stringify(statement)).toString('base64url');
    for (const forged of [{ ...receipt, statement }, { ...receipt, statement, payload }, {}, null]) {
      const { exitCode, stdout, stderr } = await verify(forged);
      expect([exitCode, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^NOT_SIGNED: /);
    }
  });

  it('verify says which file is no JSON, and a revision without a receipt is not found', async () => {
    const file = stored('broken.json', '{');
    expect((await run(['receipt', 'verify', file])).stderr).toBe('BAD_FILE: The receipt is not JSON.\n');
    const { stderr } = await run(['receipt', 'verify', stored('empty.json', '{}'), '--keys', file]);
    expect(stderr).toBe('BAD_FILE: The file of keys is not JSON.\n');
    expect(readFileSync(file, 'utf8')).toBe('{');
    expect((await run(['receipt', 'nothing'])).stderr).toMatch(/^RECEIPT_NOT_FOUND: /);
  });
});

it('a tripwire is created, shown as one, and never accepted', async () => {
  const { secret, id } = await json('keys', 'create', '--name', 'Old backup', '--env', 'live', '--tripwire');
  expect(await codeOf(secret)).toBe('NOT_FOUND');
  expect(await json('keys', 'get', id)).toMatchObject({ tripwire: true });
});

it('a token is derived from a key on standard input, and is all that is printed', async () => {
  const { secret } = await gateway.issue({ scopes: ['orders:read', 'orders:write'] });
  const derive = (args: readonly string[]) => runCommand(['derive', ...args], environment(), `${secret}\n`);
  const { stdout, stderr, exitCode } = await derive(['--expires', '1h', '--scope', 'orders:read', '--label', 'job']);
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^lk_live_d_[\w-]+\n$/);
  const verdict = async (scope: string) =>
    (await verifyAt(gateway.url, { key: stdout.trim(), scopes: [scope] })).body.code;
  expect([await verdict('orders:read'), await verdict('orders:write')]).toEqual(['VALID', 'INSUFFICIENT_SCOPE']);
  for (const args of [[], ['--expires', '25h'], ['--expires', '1h', '--scope', 'orders:delete']]) {
    const refused = await derive(args);
    expect([refused.exitCode === 0, refused.stdout]).toEqual([false, '']);
    expect(refused.stderr).not.toContain(secret);
  }
});
