/** The commands and programs of the README and of the pages that continue it work exactly as written, on both databases. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { providers, temporaryDatabase } from './support/databases.ts';
import { blockOf } from './support/documents.ts';
import { type Instance, startBuilt, until } from './support/instance.ts';
import { nextOutput } from './support/processes.ts';
import { rest } from './support/service.ts';
import type { TemporaryDatabase } from './support/temporary-database.ts';

const run = promisify(execFile);

const overRest = blockOf('README.md', 'A first key');
const besideRest = blockOf('README.md', 'A first key', 1);
const verification = blockOf('README.md', 'A first verification');
const express = blockOf('README.md', 'Protect an Express API');
const overGraphql = blockOf('docs/reference/graphql.md', 'Create a key');
const loggingIn = blockOf('docs/reference/command-line.md', 'Log in');
const commandLine = blockOf('docs/reference/command-line.md', 'In scripts');
const importing = blockOf('docs/tasks/migrating.md', 'Import keys of another system');
const showing = blockOf('docs/reference/verification.md', 'Show a key to its holder');
const introspection = blockOf('docs/reference/verification.md', 'Token introspection');
const selfRevocation = blockOf('docs/reference/verification.md', 'Revoke a key with the key itself');
const signing = blockOf('docs/reference/verification.md', 'Sign requests');

test('the README has at most 8,000 bytes', () => {
  expect(readFileSync('README.md').length).toBeLessThanOrEqual(8000);
});

describe.each(providers)('on %s', (provider) => {
  let database: TemporaryDatabase;
  let service: Instance;
  let environment: NodeJS.ProcessEnv;
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    database = await temporaryDatabase(provider);
    environment = { DATA_DIR: database.directory, DATABASE_URL: database.url };
    service = await startBuilt(environment);
  });
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await service.stop();
    await database.remove();
  });

  const here = (text: string) => {
    const portOf = (url: string) => new URL(url).port;
    return text.replaceAll(':4000', `:${portOf(service.url)}`).replaceAll(':4001', `:${portOf(service.verifyUrl)}`);
  };
  const variables = (more: NodeJS.ProcessEnv) => ({
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    ...environment,
    ...more,
  });
  /** Runs a script and returns its lines of output. Adds the line break that curl does not print after an answer. */
  async function shell(text: string, more: NodeJS.ProcessEnv = {}) {
    const script = `set -eu\ncurl() { command curl "$@"; echo; }\n${here(text)}`;
    const { stdout } = await run('sh', ['-c', script], { env: variables(more) });
    return stdout.split('\n').filter((line) => line !== '');
  }

  it('creates a key over REST and two over GraphQL, verifies the first one and revokes it with itself', async () => {
    const lines = await shell(`${overRest}${besideRest}${overGraphql}\necho "$TEAM"`);
    const team = lines.pop();
    const [created, listed, beside, listedBeside, second, ...more] = lines.map((line) => JSON.parse(line));
    expect(more).toEqual([]);
    expect(created).toEqual({
      id: expect.any(String),
      name: 'My first key',
      env: 'test',
      prefix: expect.stringMatching(/^lk_test_/),
      secret: expect.stringMatching(/^lk_test_/),
    });
    expect(listed.map(({ id }: { id: string }) => id)).toEqual([created.id]);
    const { secret, apiKey } = beside.data.createKey;
    expect([secret.startsWith(`${apiKey.prefix}_`), apiKey.prefix]).toEqual([true, expect.stringMatching(/^lk_test_/)]);
    expect(listedBeside.data.keys.nodes).toEqual([
      { id: apiKey.id, name: 'My second key', state: 'ACTIVE' },
      { id: created.id, name: 'My first key', state: 'ACTIVE' },
    ]);
    expect(second.data.createKey).toMatchObject({
      secret: expect.stringMatching(/^lk_live_/),
      apiKey: { prefix: expect.stringMatching(/^lk_live_/), state: 'ACTIVE' },
    });
    const [verdict = ''] = await shell(verification, { SECRET: created.secret });
    expect(JSON.parse(verdict)).toMatchObject({ valid: true, code: 'VALID', keyId: created.id, teamId: team });
    const [shown = ''] = await shell(showing, { SECRET: created.secret });
    expect(JSON.parse(shown)).toMatchObject({ prefix: created.prefix, secret: 'current' });
    const variables = { SECRET: created.secret, LATCHKEY_VERIFIER_TOKEN: 'none-is-configured' };
    const [introspected = ''] = await shell(introspection, variables);
    expect(JSON.parse(introspected)).toMatchObject({ active: true, client_id: created.id });
    const [ended = '', then = ''] = await shell(`${selfRevocation}${verification}`, { SECRET: created.secret });
    expect([JSON.parse(ended), JSON.parse(then).code]).toEqual([{ ok: true }, 'REVOKED']);
  });

  it('creates and verifies a key on the command line', async () => {
    const lines = await shell(commandLine, {
      ...(await teamAndToken()),
      LATCHKEY_URL: service.url,
      LATCHKEY_VERIFY_URL: service.verifyUrl,
    });
    expect(lines.map((line) => line.trim().split(/ +/))).toContainEqual(['valid', 'true']);
    // npx starts npm, which takes seconds on a busy machine.
  });

  it('logs in, creates a key, verifies it and logs out on the command line', async () => {
    const { TEAM } = await teamAndToken();
    const lines = await shell(loggingIn.replaceAll('nightly.key', `${database.directory}/$&`), {
      TEAM,
      XDG_CONFIG_HOME: database.directory,
      LATCHKEY_URL: service.url,
      LATCHKEY_VERIFY_URL: service.verifyUrl,
    });
    expect(lines[0]).toMatch(/^Logged in to .* as local, until \d{4}-.*\. Profile: default\.$/);
    expect(lines.map((line) => line.trim().split(/ +/))).toContainEqual(['valid', 'true']);
    expect(lines.filter((line) => /Nightly export +test +lk_test_/.test(line))).toHaveLength(1);
    expect(readdirSync(`${database.directory}/latchkey`)).toEqual([]);
  });

  it('imports a key of another system by its digest, verifies it and exports it', async () => {
    const { TEAM, TOKEN } = await teamAndToken();
    const lines = await shell(importing.replaceAll(/\w+\.(?:csv|ndjson)/g, `${database.directory}/$&`), {
      TEAM,
      LATCHKEY_TOKEN: TOKEN,
      OLD_KEY: 'sk-of-another-system-8c2dWm+/=',
      LATCHKEY_URL: service.url,
      LATCHKEY_VERIFY_URL: service.verifyUrl,
    });
    expect(lines.map((line) => line.trim().split(/ +/))).toContainEqual(['valid', 'true']);
    const exported = readFileSync(`${database.directory}/exported.ndjson`, 'utf8').trim().split('\n');
    expect(exported.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({
        ...{ name: 'Orders of customer 42', env: 'live', externalId: 'customer-42' },
        ...{ scopes: ['orders:read', 'orders:write'], description: 'from the shop' },
      }),
    );
  });

  it('protects the Express application of the README, for plain and for signed requests', async () => {
    const [secretLine = '', team = '', token = ''] = await shell(`${overGraphql}\necho "$TEAM"; echo "$TOKEN"`, {
      ...(await teamAndToken()),
    });
    const { secret, apiKey } = JSON.parse(secretLine).data.createKey;
    const origin = await startExpress();
    const open = { authorization: `Bearer ${secret}` };
    // Its client allows a second for a verdict, which may not suffice for the first one.
    await until('it verifies', async () => (await fetch(origin, { headers: open })).status === 200);
    const answer = await (await fetch(origin, { headers: open })).json();
    expect(answer).toMatchObject({ keyId: apiKey.id, teamId: team, env: 'live' });
    expect((await fetch(origin)).status).toBe(401);

    const { signingSecret } = (await rest(service.url, token, 'POST', `/v1/keys/${apiKey.id}/signing/enable`)).body;
    expect((await fetch(origin, { headers: open })).status).toBe(401);
    const client = `const { apiKey, keyId, signingSecret } = ${JSON.stringify({ apiKey: secret, keyId: apiKey.id, signingSecret })};
      ${signing.replace('https://api.example.com', origin).replace('await send', 'const response = await send')}
      console.log(response.status);`;
    const { stdout } = await run('node', ['--input-type=module', '-e', client], { env: variables({}) });
    // The application has no such route. A rejected request would not get that far.
    expect(stdout.trim()).toBe('404');
  });

  async function teamAndToken() {
    const [TEAM = '', TOKEN = ''] = await shell(`${overRest.split('curl', 1)[0]}\necho "$TEAM"; echo "$TOKEN"`);
    return { TEAM, TOKEN };
  }

  async function startExpress(): Promise<string> {
    const listen = `const server = app.listen(0, '127.0.0.1', () => console.log(server.address().port));`;
    const child = spawn('node', ['--input-type=module', '-e', here(express).replace('app.listen(3000);', listen)], {
      env: variables({}),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    return `http://127.0.0.1:${await nextOutput(child)}`;
  }
});
