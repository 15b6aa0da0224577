// SECURITY.md: Partitioned primary
/**
 * PostgreSQL out of reach, in the ways that happen: no packet passes, every connection ended, killed at once, an instance
 * cut off in the middle of a change. Real processes, a real PostgreSQL, and a network of the test's own between them.
 */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signRequest } from '../../src/client/sign.ts';
import { Server } from '../harness/server.ts';
import { type PostgresServer, startPostgres, terminateOthers } from '../support/postgres.ts';
import { type Answer, both, graphql, rest, sessionToken } from '../support/service.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-database.ts';

/** What is promised, and what a busy machine may add to it. */
const verificationMs = 3000;
const managementMs = 5000;
const recoveryMs = 2000;
const busyMs = 5000;

const team = randomUUID();
const token = sessionToken({ [team]: both });
const detail = 'The store does not answer; try again shortly.';
const unavailable = { status: 503, code: 'UNAVAILABLE', detail };

let postgres: PostgresServer;
let proxy: TcpProxy;
let directory: TemporaryDirectory;
let near: Server;
let far: Server;
let admin: pg.Client;
let key: { readonly id: string; readonly secret: string };

beforeAll(async () => {
  postgres = await startPostgres();
  proxy = await startTcpProxy(postgres.port);
  directory = temporaryDirectory();
  const start = (port: number) => {
    const DATABASE_URL = `postgresql://latchkey:latchkey@127.0.0.1:${port}/postgres`;
    return Server.startService({ directory: directory.path, environment: { DATABASE_URL, WORKERS: '1' } });
  };
  near = await start(postgres.port);
  far = await start(proxy.port);
  admin = await connectAdmin();
  key = (await create(far)).body;
});
afterAll(async () => {
  await admin?.end();
  await near?.stop();
  await far?.stop();
  await proxy?.stop();
  await postgres?.stop();
  directory?.remove();
});

async function connectAdmin(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: `${postgres.url}/postgres` });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

const create = (at: Server) => rest(at.url, token, 'POST', '/v1/keys', { teamId: team, name: 'x', env: 'live' });
const rename = (at: Server) => rest(at.url, token, 'PATCH', `/v1/keys/${key.id}`, { name: randomUUID() });
const list = (at: Server) => rest(at.url, token, 'GET', `/v1/keys?teamId=${team}`);
const verify = ({ verifyUrl }: Server) => rest(verifyUrl, null, 'POST', '/v1/verify', { key: key.secret });

async function within(ms: number, call: Promise<Answer>): Promise<Answer> {
  const started = performance.now();
  const answer = await call;
  expect(performance.now() - started).toBeLessThan(ms + busyMs);
  return answer;
}

async function worksAgain(at: Server): Promise<void> {
  const deadline = performance.now() + recoveryMs + busyMs;
  for (const call of [verify, rename, list]) {
    let answer = await call(at);
    while (answer.status !== 200 && performance.now() < deadline) answer = await call(at);
    expect(answer.status).toBe(200);
  }
  expect(performance.now()).toBeLessThan(deadline);
  expect(at.isAlive).toBe(true);
}

async function terminateAll(): Promise<void> {
  await admin.query(terminateOthers);
}

test.each([
  ['and passes what it held back', { forget: false }],
  ['and knows the old connections no more', { forget: true }],
])('the network loses every packet, comes back %s', async (_, how) => {
  await worksAgain(far);
  proxy.blackHole();
  const verifications = [1, 2].map(async () => {
    const answer = await within(verificationMs, verify(far));
    expect(answer.body).toMatchObject(unavailable);
    expect(answer.headers.get('retry-after')).toBe('1');
  });
  // Behind one another, as changes of one instance are.
  const changes = [create(far), rename(far), list(far)].map(async (call) => {
    const answer = await within(managementMs, call);
    expect(answer.body).toMatchObject(unavailable);
    expect(answer.headers.get('retry-after')).toBe('1');
  });
  const mutation = `mutation { revokeKey(id: "${key.id}") { apiKey { id } } }`;
  const { body } = await within(managementMs, graphql(far.url, token, mutation));
  expect(body.errors).toMatchObject([{ message: detail, extensions: { code: 'UNAVAILABLE' } }]);
  await Promise.all([...verifications, ...changes]);
  // A key that can still be changed, whatever became of its revocation.
  key = (await create(near)).body;

  await proxy.restore(how);
  await worksAgain(far);
});

test('the network is cut, and rejects connections until it is back', async () => {
  await proxy.cut();
  expect((await within(verificationMs, verify(far))).body).toMatchObject(unavailable);
  for (const call of [create, rename, list]) {
    expect((await within(managementMs, call(far))).body).toMatchObject(unavailable);
  }
  await proxy.restore();
  await worksAgain(far);
});

test('every connection ended while no client uses it: no client notices', async () => {
  // Signatures have connections of their own.
  const signing = (await create(near)).body;
  const { signingSecret } = (await rest(near.url, token, 'POST', `/v1/keys/${signing.id}/signing/enable`)).body;
  const request = { method: 'GET', url: 'https://api.example.test/' };
  const verifySigned = async (at: Server) => {
    const headers = signRequest(request, { keyId: signing.id, signingSecret });
    const call = { key: signing.secret, request: { ...request, headers } };
    return (await rest(at.verifyUrl, null, 'POST', '/v1/verify', call)).body;
  };
  for (const at of [near, far]) expect(await verifySigned(at)).toMatchObject({ code: 'VALID' });
  const former = await backends();
  await terminateAll();
  // A backend that is no longer listed has ended. This process is notified in the next turns of the event loop.
  await expect.poll(async () => (await backends()).filter((pid) => former.includes(pid))).toEqual([]);
  for (const at of [near, far]) {
    expect((await rename(at)).status).toBe(200);
    expect((await list(at)).status).toBe(200);
    await worksAgain(at);
    expect(await verifySigned(at)).toMatchObject({ code: 'VALID' });
  }
});

test('PostgreSQL is killed and restarted during changes', async () => {
  const answers = [create(near), rename(far), list(near), verify(near), verify(far)];
  await admin.end();
  await postgres.restartImmediately();
  admin = await connectAdmin();
  for (const { status, body } of await Promise.all(answers)) {
    if (status >= 400) expect(body).toMatchObject(unavailable);
  }
  await worksAgain(near);
  await worksAgain(far);
});

test('an instance cut off in the middle of a change holds up the others for a second, and its change is not done', async () => {
  await worksAgain(far);
  proxy.delay(100);
  const lost = rename(far);
  await expect.poll(revisionIsHeld, { interval: 5, timeout: 10_000 }).toBe(true);
  proxy.blackHole();
  const { status, body } = await within(recoveryMs, rename(near));
  expect(status).toBe(200);
  expect((await lost).body).toMatchObject(unavailable);
  await proxy.restore();
  expect((await list(near)).body).toContainEqual(expect.objectContaining({ id: key.id, name: body.name }));
  await worksAgain(far);
});

test('a change behind those of others for longer than a statement may take is done when its turn comes', async () => {
  const other = await connectAdmin();
  await other.query('BEGIN');
  await other.query('UPDATE "Revision" SET "current" = "current"');
  const waiting = rename(near);
  await expect.poll(lockWaits).toHaveLength(1);
  const [first = 0] = await lockWaits();
  // The first try ends, and the next one waits.
  await expect.poll(async () => (await lockWaits()).some((since) => since > first)).toBe(true);
  await other.query('COMMIT');
  await other.end();
  expect((await waiting).status).toBe(200);
});

test('what was answered UNAVAILABLE is not done by the next change on the same connection', async () => {
  const listed = (await list(near)).body.length;
  const other = await connectAdmin();
  await other.query('BEGIN');
  // Reading is possible, writing waits.
  await other.query('LOCK TABLE "ApiKey" IN EXCLUSIVE MODE');
  expect((await within(managementMs, create(near))).body).toMatchObject(unavailable);
  // Its last try may still be under way.
  await expect.poll(lockWaits).toEqual([]);
  await other.query('COMMIT');
  await other.end();
  expect((await create(near)).status).toBe(201);
  expect((await list(near)).body).toHaveLength(listed + 1);
});

/** Since when a session waits for a lock. */
async function lockWaits(): Promise<number[]> {
  const { rows } = await admin.query<{ query_start: Date }>(
    `SELECT query_start FROM pg_stat_activity WHERE wait_event_type = 'Lock'`,
  );
  return rows.map(({ query_start }) => query_start.getTime());
}

/** The processes of the connections of the instances. */
async function backends(): Promise<number[]> {
  const { rows } = await admin.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'latchkey%' AND state IS NOT NULL`,
  );
  return rows.map(({ pid }) => pid);
}

/** Whether a transaction has the lock that all changes wait for, and its owner nothing to ask right now. */
async function revisionIsHeld(): Promise<boolean> {
  const { rows } = await admin.query(
    `SELECT 1 FROM pg_locks JOIN pg_stat_activity USING (pid)
     WHERE relation = '"Revision"'::regclass AND mode = 'RowExclusiveLock' AND state = 'idle in transaction'`,
  );
  return rows.length > 0;
}
