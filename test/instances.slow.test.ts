/** Three processes of the built service on one PostgreSQL database keep every promise as if they were one. */
import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { signRequest } from '../src/client/sign.ts';
import { temporaryDatabase } from './support/databases.ts';
import { type Instance, startBuilt } from './support/instance.ts';
import { both, graphql, jwtSecret, rest, sessionToken } from './support/service.ts';
import type { TemporaryDatabase } from './support/temporary-database.ts';

const team = randomUUID();
const crowd = randomUUID();
const token = sessionToken({ [team]: both, [crowd]: both });
const numbers = [0, 1, 2] as const;
const limit = 50;
const ring = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const shared = {
  JWT_SECRET: jwtSecret,
  KEY_PEPPERS: ring('main'),
  SIGNING_KEKS: ring('main'),
  MAX_KEYS_PER_TEAM: String(limit),
  MANAGEMENT_RATE_LIMIT: '1000000',
  FAILED_TOKEN_LIMIT: '1000000',
};

let database: TemporaryDatabase;
let instances: Instance[] = [];
const startAnother = (name: string, environment: NodeJS.ProcessEnv = {}) =>
  startBuilt({ ...shared, DATABASE_URL: database.url, DATA_DIR: join(database.directory, name), ...environment });

beforeAll(async () => {
  database = await temporaryDatabase('postgresql');
  instances = await Promise.all(numbers.map((number) => startAnother(`instance-${number}`)));
});
afterAll(async () => {
  await Promise.all(instances.map(({ stop }) => stop()));
  await database?.remove();
});

const manage = (instance: number, method: string, path: string, body?: unknown) =>
  rest(instances[instance % 3]?.url ?? '', token, method, path, body);
const ask = async (instance: number, body: object): Promise<string> => {
  for (;;) {
    const answer = await rest(instances[instance % 3]?.verifyUrl ?? '', null, 'POST', '/v1/verify', body);
    // A machine that is too busy to answer in time has decided nothing.
    if (answer.status !== 503) return answer.body.code;
  }
};
/** What each of the three says, asked at the same time. */
const askAll = (body: object) => Promise.all(numbers.map((number) => ask(number, body)));
const create = async (instance: number, teamId = team) =>
  await manage(instance, 'POST', '/v1/keys', { teamId, name: 'A key', env: 'live' });

async function query<Row extends object>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query<Row>(sql, [...values])).rows;
  } finally {
    await client.end();
  }
}

it('the limit of keys is exact, even with concurrent creates at all instances, and does not count revoked keys', async () => {
  const answers = await Promise.all(Array.from({ length: 90 }, (_, i) => create(i, crowd)));
  const created = answers.filter(({ status }) => status === 201);
  expect(created).toHaveLength(limit);
  const rejected = answers.filter(({ status, body }) => status === 409 && body.code === 'KEY_LIMIT_REACHED');
  expect(rejected).toHaveLength(90 - limit);
  expect((await manage(2, 'GET', `/v1/keys?teamId=${crowd}`)).body).toHaveLength(limit);
  expect((await manage(1, 'DELETE', `/v1/keys/${created[0]?.body.id}`)).status).toBe(200);
  const again = await Promise.all(Array.from({ length: 30 }, (_, i) => create(i, crowd)));
  expect(again.filter(({ status }) => status === 201)).toHaveLength(1);
});

it('what is changed at one of them is in force at all of them when it is answered', async () => {
  const sourceIp = '203.0.113.9';
  const all = (code: string) => numbers.map(() => code);
  await Promise.all(
    Array.from({ length: 12 }, async (_, i) => {
      const { id, secret } = (await create(i)).body;
      const change = (step: number, method: string, path = '', body?: unknown) =>
        manage(i + step, method, `/v1/keys/${id}${path}`, body);
      const verdicts = () => askAll({ key: secret, sourceIp });
      expect(await verdicts()).toEqual(all('VALID'));
      await change(1, 'PATCH', '', { allowedIps: ['10.0.0.0/8'] });
      expect(await verdicts()).toEqual(all('SOURCE_NOT_ALLOWED'));
      await change(2, 'PATCH', '', { allowedIps: [sourceIp] });
      expect(await verdicts()).toEqual(all('VALID'));
      const old = (await change(0, 'POST', '/signing/enable')).body.signingSecret;
      const fresh = (await change(1, 'POST', '/signing/rotate')).body.signingSecret;
      const signed = (signingSecret: string) => {
        const request = { method: 'GET', url: 'https://api.example.com/orders' };
        return { ...request, headers: { ...signRequest(request, { keyId: id, signingSecret }) } };
      };
      expect(await askAll({ key: secret, sourceIp, request: signed(old) })).toEqual(all('SIGNATURE_INVALID'));
      expect(await ask(i + 2, { key: secret, sourceIp, request: signed(fresh) })).toBe('VALID');
      await change(2, 'DELETE');
      expect(await verdicts()).toEqual(all('REVOKED'));
    }),
  );
});

it('a signature is accepted once, also when all of them get it at the same moment', async () => {
  const { id, secret } = (await create(0)).body;
  const { signingSecret } = (await manage(1, 'POST', `/v1/keys/${id}/signing/enable`)).body;
  const request = { method: 'GET', url: 'https://api.example.com/orders' };
  const outcomes: string[][] = [];
  // Not all at once: a nonce waits half a second for a connection.
  for (let round = 0; round < 5; round += 1) {
    const signatures = Array.from({ length: 30 }, async () => {
      const headers = { ...signRequest(request, { keyId: id, signingSecret }) };
      return (await askAll({ key: secret, request: { ...request, headers } })).sort();
    });
    outcomes.push(...(await Promise.all(signatures)));
  }
  const once = ['SIGNATURE_REPLAYED', 'SIGNATURE_REPLAYED', 'VALID'];
  expect(outcomes).toEqual(outcomes.map(() => once));
});

it('concurrent changes of one key at all instances are applied one after the other: none is lost, and the audit trail lists them in order', async () => {
  const { id } = (await create(0)).body;
  const names = Array.from({ length: 60 }, (_, i) => `Name ${i}`);
  const answers = await Promise.all(names.map((name, i) => manage(i, 'PATCH', `/v1/keys/${id}`, { name })));
  expect(answers.map(({ body }) => body.name)).toEqual(names);
  const trail = `query ($team: UUID!, $key: UUID!) {
    auditLog(teamId: $team, keyId: $key, first: 500) { nodes { id action changes { field before after } } }
  }`;
  const { body } = await graphql(instances[1]?.url ?? '', token, trail, { team, key: id });
  interface Entry {
    readonly id: string;
    readonly action: string;
    readonly changes: readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[];
  }
  const newestFirst: readonly Entry[] = body.data.auditLog.nodes;
  const updates = newestFirst.filter(({ action }) => action === 'KEY_UPDATED').toReversed();
  const steps = updates.map(({ changes }) => changes.find(({ field }) => field === 'name'));
  expect(new Set(newestFirst.map((entry) => entry.id)).size).toBe(61);
  expect(steps.map((step) => step?.after).toSorted()).toEqual(names.toSorted());
  expect(steps.map((step) => step?.before)).toEqual(['A key', ...steps.slice(0, -1).map((step) => step?.after)]);
  const listed: { id: string; name: string }[] = (await manage(2, 'GET', `/v1/keys?teamId=${team}`)).body;
  expect(listed.find((key) => key.id === id)?.name).toBe(steps.at(-1)?.after);
});

it('another instance with other bytes under the same ids does not start, and says why', async () => {
  const complaint = 'main has other bytes than the ones that this database was used with';
  const wrong = await startAnother('wrong', { KEY_PEPPERS: ring('main'), SIGNING_KEKS: ring('main') });
  expect(await wrong.exit).toBe(1);
  for (const name of ['KEY_PEPPERS', 'SIGNING_KEKS']) expect(wrong.output()).toContain(`${name}: ${complaint}`);
});

/** Last, because it stops them: what they have not written yet, they write then. */
it('use at all of them adds up exactly, with the latest as the last, also when they are stopped', async () => {
  const { id, secret } = (await create(0)).body;
  const asked = 240;
  const rounds = Array.from({ length: asked }, (_, i) => ask(i, { key: secret, ...(i % 4 === 3 && { env: 'test' }) }));
  const valid = (await Promise.all(rounds)).filter((code) => code === 'VALID').length;
  expect(valid).toBe(180);
  const usage = `query ($key: UUID!, $from: DateTime!, $to: DateTime!) {
    usage(keyId: $key, from: $from, to: $to) { code count }
    key(id: $key) { lastUsedAt }
  }`;
  const from = new Date(Date.now() - 7_200_000);
  const to = new Date(Date.now() + 7_200_000);
  const read = async () => (await graphql(instances[0]?.url ?? '', token, usage, { key: id, from, to })).body.data;
  const sum = (hours: readonly { code: string; count: number }[], code: string) =>
    hours.filter((hour) => hour.code === code).reduce((total, { count }) => total + count, 0);
  const written = (count: number) => expect.poll(async () => sum((await read()).usage, 'VALID')).toBe(count);
  await written(valid);

  // The first to be asked is the first to write: it has the latest use, and those who write after it earlier ones.
  for (const instance of [2, 0, 1]) expect(await ask(instance, { key: secret })).toBe('VALID');
  const before = Date.now();
  expect(await ask(2, { key: secret })).toBe('VALID');
  const after = Date.now();
  await written(valid + 4);
  const { key, usage: hours } = await read();
  expect(sum(hours, 'WRONG_ENVIRONMENT')).toBe(asked - valid);
  expect(Date.parse(key.lastUsedAt)).toBeGreaterThanOrEqual(before);
  expect(Date.parse(key.lastUsedAt)).toBeLessThanOrEqual(after);

  await Promise.all(Array.from({ length: 90 }, (_, i) => ask(i, { key: secret })));
  expect(await Promise.all(instances.splice(0).map(({ stop }) => stop()))).toEqual([0, 0, 0]);
  const stored = await query<{ code: string; count: number }>(
    'SELECT "code", "count" FROM "UsageHour" WHERE "keyId" = $1',
    [id],
  );
  expect(sum(stored, 'VALID')).toBe(valid + 4 + 90);
  expect(sum(stored, 'WRONG_ENVIRONMENT')).toBe(asked - valid);
});
