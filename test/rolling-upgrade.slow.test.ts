/** Rolling upgrades: builds of versions before 0.2.0 and the present one serve one PostgreSQL. */
import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryDatabase } from './support/databases.ts';
import { buildEarlier, type EarlierBuild } from './support/earlier-build.ts';
import { type Instance, killInstances, startInstance } from './support/instance.ts';
import { type Receiver, startReceiver } from './support/receivers.ts';
import { both, jwtSecret, sessionToken } from './support/service.ts';
import type { TemporaryDatabase } from './support/temporary-database.ts';

const team = randomUUID();
const token = sessionToken({ [team]: [...both, 'manage_webhooks'] });
const ring = () => `main:${randomBytes(32).toString('base64')}`;
const shared = {
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  JWT_SECRET: jwtSecret,
  KEY_PEPPERS: ring(),
  SIGNING_KEKS: ring(),
};

const startOn = (database: TemporaryDatabase, directory: string, name: string) =>
  startInstance({ ...shared, DATABASE_URL: database.url, DATA_DIR: join(database.directory, name) }, 1, directory);

/** Not checked against openapi.yaml, which describes the present version only. */
async function call(url: string, method: string, path: string, body?: object, more: object = {}) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...more };
  const response = await fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

const create = async ({ url }: Instance, fields: object = {}) =>
  (await call(url, 'POST', '/v1/keys', { teamId: team, name: 'A key', env: 'live', ...fields })).body;

/** Of 22 November, before keys had features such as scopes. */
describe('while an early version and this one run side by side', () => {
  let database: TemporaryDatabase;
  let earlier: EarlierBuild;
  let older: Instance;
  let newer: Instance;
  let before: { id: string; secret: string };
  beforeAll(async () => {
    const generate = 'npm run -s prisma';
    earlier = await buildEarlier('7a610ba4~1', { packages: ['@as-integrations/express5@1.1.2'], generate });
    database = await temporaryDatabase('postgresql');
    older = await startOn(database, earlier.root, 'older');
    before = await create(older);
    newer = await startOn(database, process.cwd(), 'newer');
  });
  afterAll(async () => {
    await killInstances();
    await database?.remove();
    await earlier?.remove();
  });
  const codes = (key: string) =>
    Promise.all(
      [older, newer].map(async ({ verifyUrl }) => (await call(verifyUrl, 'POST', '/v1/verify', { key })).body.code),
    );

  it('both accept a key of either, and reject it once the other has revoked it', async () => {
    const [old, fresh] = [await create(older), await create(newer)];
    for (const { secret } of [before, old, fresh]) expect(await codes(secret)).toEqual(['VALID', 'VALID']);
    await call(newer.url, 'DELETE', `/v1/keys/${old.id}`);
    await call(older.url, 'DELETE', `/v1/keys/${fresh.id}`);
    for (const { secret } of [old, fresh]) expect(await codes(secret)).toEqual(['REVOKED', 'REVOKED']);
  });

  it('a repeated create gets the id of the key that the early version made', async () => {
    const header = { 'idempotency-key': randomUUID() };
    const input = { teamId: team, name: ' A key', env: 'live', expiresAt: '2999-01-01T00:00:00+02:00' };
    const { body } = await call(older.url, 'POST', '/v1/keys', input, header);
    const repeated = await call(newer.url, 'POST', '/v1/keys', { ...input, name: 'A key' }, header);
    expect([repeated.status, repeated.body.keyId]).toEqual([409, body.id]);
  });

  it('a change by the early version keeps what it does not know', async () => {
    const { id, secret } = await create(newer, { scopes: ['orders:read'], metadata: { plan: 'pro' } });
    expect((await call(older.url, 'PATCH', `/v1/keys/${id}`, { name: 'Renamed' })).status).toBe(200);
    const { body } = await call(newer.verifyUrl, 'POST', '/v1/verify', { key: secret });
    expect(body).toMatchObject({ code: 'VALID', name: 'Renamed', scopes: ['orders:read'], metadata: { plan: 'pro' } });
  });

  it('the early version does not start again on the migrated database', async () => {
    expect(await older.stop()).toBe(0);
    await expect(startOn(database, earlier.root, 'older again')).rejects.toThrow('start the newer version');
  });
});

/** The last commit of 0.1, which delivers events by a cursor, without rows for those that wait. */
describe('while 0.1.0 and this version deliver events', () => {
  let database: TemporaryDatabase;
  let earlier: EarlierBuild;
  let receiver: Receiver;
  beforeAll(async () => {
    const schemas = ['prisma/schema.prisma', 'prisma/postgresql.prisma'];
    const generate = schemas.map((schema) => `npx prisma generate --schema ${schema}`).join(' && ');
    earlier = await buildEarlier('e40ea1d0', { generate });
    database = await temporaryDatabase('postgresql');
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await killInstances();
    await receiver?.stop();
    await database?.remove();
    await earlier?.remove();
  });

  it('each event arrives, whichever of them is stopped or killed', async () => {
    const older = await startOn(database, earlier.root, 'older');
    const keys = await Promise.all(Array.from({ length: 5 }, () => create(older)));
    const endpoint = { teamId: team, url: receiver.url, types: ['key.updated'] };
    expect((await call(older.url, 'POST', '/v1/webhooks', endpoint)).status).toBe(201);
    const names: string[] = [];
    const rename = async ({ url }: Instance, count: number) => {
      for (let i = 0; i < count; i += 1) {
        const name = `Name ${names.length}`;
        expect((await call(url, 'PATCH', `/v1/keys/${keys[i % 5].id}`, { name })).status).toBe(200);
        names.push(name);
      }
    };
    const arrived = () => new Set(receiver.requests.map(({ body }) => JSON.parse(body).data.changes[0].after));
    const missing = () => names.filter((name) => !arrived().has(name));
    const allArrive = () => expect.poll(missing).toEqual([]);

    await rename(older, 5);
    await allArrive();
    const alsoOlder = await startOn(database, earlier.root, 'also older');
    let newer = await startOn(database, process.cwd(), 'newer');
    // The claim is held by 0.1.0, then by any of two versions, then by 0.1.0 or no one, and in the end by this version.
    await rename(newer, 5);
    await allArrive();
    expect(await older.stop()).toBe(0);
    await rename(newer, 5);
    await allArrive();
    await rename(newer, 5);
    newer.process.kill('SIGKILL');
    await newer.exit;
    await rename(alsoOlder, 5);
    await allArrive();
    newer = await startOn(database, process.cwd(), 'newer');
    await rename(alsoOlder, 5);
    alsoOlder.process.kill('SIGKILL');
    await rename(newer, 5);
    await allArrive();
  });
});
