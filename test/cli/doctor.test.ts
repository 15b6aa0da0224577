/** `latchkey doctor`: one line with a fix for each problem. That of PostgreSQL and of disks is in doctor.slow.test.ts. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { versionProblem } from '../../src/store/postgres-problem.ts';
import { Store } from '../../src/store/store.ts';
import { listen, startGateway } from '../support/gateway.ts';
import { clientSecret, TestProvider } from '../support/identity-provider.ts';
import { inTests } from '../support/in-tests.ts';
import { runCommand } from '../support/instance.ts';
import { migrateAsBefore } from '../support/older-database.ts';
import { temporaryDirectory } from '../support/temporary-database.ts';
import { findings } from './findings.ts';

const directory = temporaryDirectory().path;
const gateway = inTests(() => startGateway('sqlite'));

it.each([{}, { PORT: 'http' }])('reports a variable that is almost one of its own', async (more) => {
  const env = { PORT: '0', VERIFY_PORT: '0', KEY_PEPPER: 'canary', ...more };
  const { stdout } = await runCommand(['doctor', '--json'], { DATA_DIR: directory, ...env });
  const note = 'KEY_PEPPER is not a variable of Latchkey: did you mean KEY_PEPPERS?';
  expect(JSON.parse(stdout)).toContainEqual({ what: 'configuration', state: 'warning', note });
  expect(stdout).not.toContain('canary');
});

it('does not name a file of secrets that is not used, because the environment has all of them', async () => {
  const unused = mkdtempSync(join(directory, 'unused-'));
  writeFileSync(join(unused, 'secrets.json'), 'not read');
  chmodSync(join(unused, 'secrets.json'), 0o644);
  const ring = `a:${randomBytes(32).toString('base64')}`;
  const given = { JWT_SECRET: 'x'.repeat(32), KEY_PEPPERS: ring, SIGNING_KEKS: ring };
  const { exitCode, list, of } = await findings({ DATA_DIR: unused, ...given });
  expect([exitCode, of('secrets')?.note]).toEqual([0, 'all come from the environment']);
  expect(JSON.stringify(list)).not.toContain('secrets.json');
  // One that is missing in the environment is read from the file.
  expect((await findings({ DATA_DIR: unused, ...given, SIGNING_KEKS: undefined })).of('secrets')?.note).toContain(
    'secrets.json',
  );
});

it('reports each mistake in the configuration', async () => {
  const { exitCode, list } = await findings({ PORT: 'http', JWT_SECRET: 'canary' });
  expect(exitCode).toBe(1);
  expect(list.map(({ state }) => state)).toEqual(['error', 'error']);
  expect(JSON.stringify(list)).not.toContain('canary');
});

it('reports whether the keys that verify session tokens can be fetched', async () => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'a' }];
  const server = createHttpServer((request, response) => {
    response.end(JSON.stringify({ keys: request.url === '/jwks' ? keys : [] }));
  });
  const origin = await listen(server);
  const environment = (path: string) => ({
    DATA_DIR: mkdtempSync(join(directory, 'jwks-')),
    JWT_JWKS_URL: origin + path,
    JWT_AUDIENCE: 'latchkey',
  });
  expect((await findings(environment('/jwks'))).of('session tokens')?.state).toBe('ok');
  const { exitCode, of } = await findings(environment('/none'));
  expect(exitCode).toBe(1);
  expect(of('session tokens')).toMatchObject({
    state: 'error',
    note: expect.stringMatching(/^JWT_JWKS_URL: it has/),
  });
  server.closeAllConnections();
  server.close();
  expect((await findings(environment('/jwks'))).of('session tokens')?.note).toContain('ECONNREFUSED');
});

it('reports an invalid store, and secrets that other users can read', async () => {
  const broken = mkdtempSync(join(directory, 'broken-'));
  writeFileSync(join(broken, 'latchkey.db'), 'no database at all, but long enough to be looked at as if it were one');
  writeFileSync(join(broken, 'secrets.json'), '{}');
  chmodSync(join(broken, 'secrets.json'), 0o644);
  const { exitCode, of } = await findings({ DATA_DIR: broken });
  expect(exitCode).toBe(1);
  expect(of('store')?.state).toBe('error');
  expect(of('secrets')?.note).toContain('chmod 600');
});

const ok = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n{"status":"ok"}';

it.each([
  ['PORT', 'management port', 'hello'],
  ['PORT', 'management port', ok],
  ['METRICS_PORT', 'metrics port', ok],
  ['EXT_AUTHZ_PORT', 'Envoy port', ok],
])('reports another program on %s: on the %s, it answers %j', async (variable, what, answer) => {
  // The client may reset the connection, if this is no HTTP.
  const stranger: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(`${answer}\r\n`));
  });
  const taken = await new Promise<number>((resolve) =>
    stranger.listen(0, '127.0.0.1', () => resolve((stranger.address() as { port: number }).port)),
  );
  const { exitCode, of } = await findings({ DATA_DIR: directory, [variable]: String(taken) });
  stranger.close();
  expect(exitCode).toBe(1);
  expect(of(what)?.note).toMatch(
    new RegExp(`^${variable}: another program listens on port \\d+ of 127\\.0\\.0\\.1; stop it, or set another port`),
  );
  expect(of('verification port')?.state).toBe('ok');
});

it('finds a service that runs, with a clock that goes as ours', async () => {
  const { list } = await findings({
    PORT: new URL(gateway.running.url).port,
    VERIFY_PORT: new URL(gateway.url).port,
  });
  const ports = list.filter(({ what }) => what.includes('port'));
  expect(ports.map(({ state }) => state)).toEqual(['ok', 'ok', 'ok', 'ok']);
  expect(ports.map(({ what }) => what)).toContain('clock, management port');
});

it('finds nothing wrong in an empty directory and creates nothing, also if the directory does not exist', async () => {
  const empty = mkdtempSync(join(directory, 'empty-'));
  const { exitCode, of } = await findings({ DATA_DIR: empty });
  expect(exitCode).toBe(0);
  expect(of('directory')).toMatchObject({ state: 'ok', note: 'can be written to' });
  expect([of('store')?.state, of('secrets')?.state]).toEqual(['warning', 'warning']);
  expect(readdirSync(empty)).toEqual([]);
  const missing = join(empty, 'a', 'b');
  expect((await findings({ DATA_DIR: missing })).of('directory')?.note).toContain('the first start creates it');
  expect(existsSync(join(empty, 'a'))).toBe(false);
});

it('reports a directory that is a file', async () => {
  const file = join(directory, 'a-file');
  writeFileSync(file, '');
  const { exitCode, of } = await findings({ DATA_DIR: file });
  expect([exitCode, of('directory')]).toEqual([
    1,
    {
      what: `directory ${file}`,
      state: 'error',
      note: expect.stringMatching(/ENOTDIR.*: a file has the name of the d/),
    },
  ]);
});

it('reports migrations that the next start applies, and a database of a newer version', async () => {
  const data = mkdtempSync(join(directory, 'migrations-'));
  const file = join(data, 'latchkey.db');
  const store = async () => (await findings({ DATA_DIR: data })).of('store');
  await migrateAsBefore('sqlite', `file:${file}`, '_first_imports');
  expect(await store()).toMatchObject({
    state: 'warning',
    note: expect.stringMatching(
      /^\d+ migrations of this version are pending: make a backup; the next start applies them$/,
    ),
  });
  await (await Store.open({ provider: 'sqlite', file })).close();
  expect(await store()).toMatchObject({ state: 'ok', note: expect.stringContaining('with all migrations') });
  const sqlite = new Sqlite(file);
  sqlite.exec(`UPDATE "_prisma_migrations" SET migration_name = '2999_of_a_newer_version' WHERE rowid = 1`);
  sqlite.close();
  expect(await store()).toMatchObject({ state: 'error', note: expect.stringContaining('start the newer version') });
});

it('reports that the secrets of the keys in the database are missing, or are others', async () => {
  await gateway.issue({});
  const data = mkdtempSync(join(directory, 'lost-'));
  const environment = { DATA_DIR: data, DATABASE_URL: gateway.running.database.url };
  const missing = await findings(environment);
  expect([missing.exitCode, missing.of('secrets')?.note]).toEqual([
    1,
    `${data}/secrets.json is missing, and keys in the database need it: restore it from a backup, or set DATA_DIR`,
  ]);
  const ring = () => `a:${randomBytes(32).toString('base64')}`;
  const others = { ...environment, JWT_SECRET: 'x'.repeat(32), KEY_PEPPERS: ring(), SIGNING_KEKS: ring() };
  const { exitCode, of } = await findings(others);
  expect([exitCode, of('secrets')?.note]).toEqual([
    1,
    expect.stringMatching(/^KEY_PEPPERS: .*; SIGNING_KEKS: .*: restore the missing ones from a backup$/),
  ]);
});

it('reports whether the identity provider can be used, and whether it accepts OIDC_CLIENT_SECRET', async () => {
  const provider = await TestProvider.start({ publicUrl: 'https://latchkey.example.test' });
  const signIn = async (more = {}) => {
    const DATA_DIR = mkdtempSync(join(directory, 'oidc-'));
    const { exitCode, list, of } = await findings({ DATA_DIR, ...provider.environment, ...more });
    expect(JSON.stringify(list)).not.toMatch(/canary|a secret of the client/);
    return { exitCode, ...of('sign-in') };
  };
  try {
    const note = 'the identity provider can be used, and accepts this client';
    expect(await signIn()).toMatchObject({ exitCode: 0, state: 'ok', note });
    for (const wrong of ['canary-secret', undefined]) {
      expect(await signIn({ OIDC_CLIENT_SECRET: wrong })).toMatchObject({
        exitCode: 1,
        state: 'error',
        note: expect.stringContaining('check OIDC_CLIENT_ID and OIDC_CLIENT_SECRET'),
      });
    }
    provider.behavior.isDown = true;
    expect(await signIn()).toMatchObject({
      exitCode: 1,
      state: 'error',
      note: expect.stringMatching(/^OIDC_ISSUER: .*closed the connection/),
    });
  } finally {
    await provider.stop();
  }
  expect(clientSecret).toContain('a secret of the client');
  expect(await signIn()).toMatchObject({
    exitCode: 1,
    note: expect.stringContaining('no program listens there: start'),
  });
});

it.each([
  [90_600, 'PostgreSQL 9 is older than 15, the oldest that Latchkey is tested with: upgrade it'],
  [140_012, 'PostgreSQL 14 is older than 15, the oldest that Latchkey is tested with: upgrade it'],
  [150_000, null],
  [180_001, null],
])('a server with the version number %i is reported as: %s', (version, problem) => {
  expect(versionProblem(version)).toBe(problem);
});
