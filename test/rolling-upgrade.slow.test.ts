/** A rolling upgrade: the build of the version before the last migration and the present one serve one PostgreSQL. */
import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryDatabase } from './support/databases.ts';
import { type Instance, killInstances, startInstance } from './support/instance.ts';
import { both, jwtSecret, sessionToken } from './support/service.ts';
import type { TemporaryDatabase } from './support/temporary-database.ts';

const run = promisify(execFile);
const migration = 'prisma/migrations/sqlite/20261122082339_key_features/migration.sql';
const team = randomUUID();
const token = sessionToken({ [team]: both });
const ring = () => `main:${randomBytes(32).toString('base64')}`;
const shared = { JWT_SECRET: jwtSecret, KEY_PEPPERS: ring(), SIGNING_KEKS: ring() };

let database: TemporaryDatabase;
let previousBuild: string;
let older: Instance;
let newer: Instance;

beforeAll(async () => {
  previousBuild = await buildPrevious();
  database = await temporaryDatabase('postgresql');
  older = await startOn(previousBuild, 'older');
});
afterAll(async () => {
  await killInstances();
  await database?.remove();
  await rm(dirname(previousBuild), { recursive: true });
});

/** Builds the last version that does not know the migration, from the history of this repository. */
async function buildPrevious(): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'latchkey-previous-'));
  const directory = join(parent, 'latchkey');
  await mkdir(directory);
  const { stdout } = await run('git', ['log', '--diff-filter=A', '--format=%H', '-1', '--', migration]);
  await run('sh', ['-c', `git archive ${stdout.trim()}~1 | tar -x -C ${directory}`]);
  await symlink(join(process.cwd(), 'node_modules'), join(directory, 'node_modules'));
  // A package that it used and this version does not. It finds Apollo Server, its peer, beside it.
  const install = ['install', '--no-save', '--ignore-scripts', '--legacy-peer-deps', '@as-integrations/express5@1.1.2'];
  await run('npm', install, { cwd: parent });
  await symlink(join(process.cwd(), 'node_modules/@apollo'), join(parent, 'node_modules/@apollo'));
  // Not with the configuration of rolldown, which would link the command in the shared node_modules.
  for (const script of ['npm run -s prisma', 'npx rolldown --config'])
    await run('sh', ['-c', script], { cwd: directory });
  // The pages are not what is tested, and take long to build.
  await cp('dist/dashboard', join(directory, 'dist/dashboard'), { recursive: true });
  return directory;
}

const startOn = (directory: string, name: string) =>
  startInstance({ ...shared, DATABASE_URL: database.url, DATA_DIR: join(database.directory, name) }, 1, directory);

/** Not checked against openapi.yaml, which describes the present version only. */
async function call(url: string, method: string, path: string, body?: object, more: object = {}) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...more };
  const response = await fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

const create = async ({ url }: Instance, fields: object = {}) =>
  (await call(url, 'POST', '/v1/keys', { teamId: team, name: 'A key', env: 'live', ...fields })).body;
const codes = (key: string) =>
  Promise.all(
    [older, newer].map(async ({ verifyUrl }) => (await call(verifyUrl, 'POST', '/v1/verify', { key })).body.code),
  );
describe('while the previous version and this one run side by side', () => {
  let before: { id: string; secret: string };
  beforeAll(async () => {
    before = await create(older);
    newer = await startOn(process.cwd(), 'newer');
  });

  it('both accept a key of either, and reject it once the other has revoked it', async () => {
    const [old, fresh] = [await create(older), await create(newer)];
    for (const { secret } of [before, old, fresh]) expect(await codes(secret)).toEqual(['VALID', 'VALID']);
    await call(newer.url, 'DELETE', `/v1/keys/${old.id}`);
    await call(older.url, 'DELETE', `/v1/keys/${fresh.id}`);
    for (const { secret } of [old, fresh]) expect(await codes(secret)).toEqual(['REVOKED', 'REVOKED']);
  });

  it('a repeated create gets the id of the key that the previous version made', async () => {
    const header = { 'idempotency-key': randomUUID() };
    const input = { teamId: team, name: ' A key', env: 'live', expiresAt: '2999-01-01T00:00:00+02:00' };
    const { body } = await call(older.url, 'POST', '/v1/keys', input, header);
    const repeated = await call(newer.url, 'POST', '/v1/keys', { ...input, name: 'A key' }, header);
    expect([repeated.status, repeated.body.keyId]).toEqual([409, body.id]);
  });

  it('a change by the previous version keeps what it does not know', async () => {
    const { id, secret } = await create(newer, { scopes: ['orders:read'], metadata: { plan: 'pro' } });
    expect((await call(older.url, 'PATCH', `/v1/keys/${id}`, { name: 'Renamed' })).status).toBe(200);
    const { body } = await call(newer.verifyUrl, 'POST', '/v1/verify', { key: secret });
    expect(body).toMatchObject({ code: 'VALID', name: 'Renamed', scopes: ['orders:read'], metadata: { plan: 'pro' } });
  });

  it('the previous version does not start again on the migrated database', async () => {
    expect(await older.stop()).toBe(0);
    await expect(startOn(previousBuild, 'older again')).rejects.toThrow('start the newer version');
  });
});
