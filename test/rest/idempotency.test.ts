/** A create that is repeated with its idempotency key creates one key, at either of two instances. */
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LatchkeyError } from '../../src/domain/errors.ts';
import { fingerprintsOf, idempotencyId } from '../../src/domain/key/idempotency.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import { revokeKey } from '../../src/manage/change/key-state.ts';
import { updateKey } from '../../src/manage/change/update-key.ts';
import type { Management } from '../../src/manage/management.ts';
import { parseIdempotencyHeader } from '../../src/rest/headers.ts';
import { idempotentTable } from '../../src/store/changes/bulk-rows.ts';
import type { Service } from '../support/compose.ts';
import { theProvider } from '../support/databases.ts';
import { listen, send, stopListening } from '../support/gateway.ts';
import {
  both,
  callerOf,
  graphql,
  type RunningService,
  rest,
  secondInstance,
  sessionToken,
  startService,
} from '../support/service.ts';

const create = `mutation ($input: CreateKeyInput!, $idempotencyKey: String) {
  createKey(input: $input, idempotencyKey: $idempotencyKey) { apiKey { id } secret }
}`;

let running: RunningService;
let other: Service;
let otherServer: Server;
let urls: readonly [string, string];

/** A team of its own, and calls for it at either instance. */
const newTeam = (subject?: string, team: string = randomUUID()) => {
  const token = sessionToken({ [team]: both }, subject);
  const { store } = running.service.management;
  return {
    team,
    post: (key: string | null, { instance = 0, ...fields }: { instance?: number; [field: string]: unknown } = {}) =>
      rest(
        urls[instance % 2] ?? '',
        token,
        'POST',
        '/v1/keys',
        { teamId: team, name: 'A key', env: 'live', ...fields },
        key === null ? {} : { 'idempotency-key': key },
      ),
    ask: (key: string | null, name = 'A key') =>
      graphql(urls[1], token, create, { input: { teamId: team, name, env: 'live' }, idempotencyKey: key }),
    made: async () => (await store.auditLog.list({ teamId: team, limit: 100 })).map(({ keyId }) => keyId),
  };
};

beforeAll(async () => {
  running = await startService(theProvider, { MAX_KEYS_PER_TEAM: '3' });
  other = await secondInstance(running);
  otherServer = createServer(other.app);
  urls = [running.url, await listen(otherServer)];
});
afterAll(async () => {
  await stopListening(otherServer);
  await other.close();
  await running.stop();
});

it('a repeated call gets the id of the key, and never its secret', async () => {
  const { post, ask, made } = newTeam();
  const key = randomUUID();
  const first = await post(key);
  expect(first.status).toBe(201);
  for (const again of [await post(key), await post(key, { instance: 1 })]) {
    expect(again.status).toBe(409);
    expect(again.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(again.body).toMatchObject({ status: 409, code: 'KEY_ALREADY_CREATED', keyId: first.body.id });
    expect(JSON.stringify(again.body)).not.toContain(first.body.secret.slice(first.body.prefix.length));
  }
  const { extensions, message } = (await ask(key)).body.errors[0];
  expect(extensions).toMatchObject({ code: 'KEY_ALREADY_CREATED', keyId: first.body.id });
  expect(message).toContain(first.body.id);
  expect(await made()).toEqual([first.body.id]);
});

it('of thirty concurrent calls, at both instances and over REST and GraphQL, one creates the key and the others get its id', async () => {
  const { post, ask, made } = newTeam();
  const key = randomUUID();
  const codes = await Promise.all(
    Array.from({ length: 30 }, async (_, i) => {
      if (i % 3 > 0) return (await post(key, { instance: i })).body.code ?? 'made';
      return (await ask(key)).body.errors?.[0].extensions.code ?? 'made';
    }),
  );
  expect(codes.toSorted()).toEqual([...Array(29).fill('KEY_ALREADY_CREATED'), 'made']);
  expect(await made()).toHaveLength(1);
});

it('of ten calls in one transaction, one creates the key', async () => {
  const { team, made } = newTeam();
  const { management } = running.service;
  const input = { teamId: team, name: 'A key', env: 'live' } as const;
  // Begun in one turn of the event loop, they share a group of the change queue.
  const outcomes = await Promise.allSettled(
    Array.from({ length: 10 }, () => createKey(management, callerOf({ [team]: both }), input, 'the same')),
  );
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await made()).toHaveLength(1);
});

it('the same idempotency key with another request is rejected, and creates nothing', async () => {
  const { post, made } = newTeam();
  const key = randomUUID();
  expect((await post(key, { expiresAt: '2999-01-01T00:00:00Z' })).status).toBe(201);
  for (const fields of [
    { name: 'Another' },
    { env: 'test' },
    { expiresAt: null },
    { expiresAt: '2999-01-02T00:00:00Z' },
  ]) {
    const answer = await post(key, { expiresAt: '2999-01-01T00:00:00Z', ...fields });
    expect([answer.status, answer.body.code, answer.body.keyId]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED', undefined]);
  }
  const same = await post(key, { name: ' A key ', expiresAt: '2999-01-01T01:00:00+01:00' });
  expect(same.body.code).toBe('KEY_ALREADY_CREATED');
  expect(await made()).toHaveLength(1);
});

it('another spelling of the same request gets the id of the key, at either instance', async () => {
  const { post, made } = newTeam();
  const key = randomUUID();
  const fields = {
    name: 'Caf\u00e9',
    allowedIps: ['2001:db8::1 # office', '10.0.0.0/8'],
    scopes: ['read', 'write'],
    tags: ['b', 'a'],
    metadata: { plan: 'gold', limits: { day: 1, hour: 2 } },
    rateLimit: { limit: 1, windowSeconds: 60 },
  };
  const first = await post(key, fields);
  expect(first.status).toBe(201);
  const spelled = {
    name: ' Cafe\u0301',
    allowedIps: ['10.0.0.0/8', '2001:DB8:0::1 #  office'],
    scopes: ['write', 'read'],
    tags: ['a', 'b'],
    metadata: { limits: { hour: 2, day: 1 }, plan: 'gold' },
    rateLimit: { windowSeconds: 60, limit: 1 },
    description: null,
    signing: false,
  };
  for (const instance of [0, 1]) {
    const { status, body } = await post(key, { ...spelled, instance });
    expect([status, body.code, body.keyId]).toEqual([409, 'KEY_ALREADY_CREATED', first.body.id]);
  }
  expect(await made()).toHaveLength(1);
});

it('a repeat gets the same answer whatever has changed since: the time, a rule, the key, the limit of keys and the budget', async () => {
  const { management } = running.service;
  const { team, made } = newTeam();
  const start = new Date();
  const input = {
    teamId: team,
    name: 'A key',
    env: 'live',
    expiresAt: new Date(start.getTime() + 60_000),
  } as const;
  const later = callerOf({ [team]: both }, new Date(start.getTime() + 3_600_000));
  const { apiKey } = await createKey(management, callerOf({ [team]: both }, start), input, 'the same');
  const keyId = apiKey.id;
  const rejected = { code: 'KEY_ALREADY_CREATED', keyId };
  await expect(createKey(management, later, input, 'the same')).rejects.toMatchObject(rejected);
  await updateKey(management, later, keyId, { name: 'Renamed', expiresAt: null });
  await revokeKey(management, later, keyId);
  const overBudget = () => {
    throw new LatchkeyError('RATE_LIMITED', 'No changes are left.');
  };
  const changed = {
    ...management,
    maxKeysPerTeam: 0,
    keyTag: 'other',
    budget: { check: overBudget, count: overBudget } as unknown as Management['budget'],
  };
  await expect(createKey(changed, later, input, 'the same')).rejects.toMatchObject(rejected);
  // What a rule of today rejects, as an earlier version stored it.
  const unruly = { ...input, tags: ['twice', 'twice'] };
  const stored = {
    ...fingerprintsOf(unruly),
    id: idempotencyId(team, 'tester', 'unruly'),
    keyId,
    expiresAt: later.now,
  };
  await management.store.changes.housekeep(async (_, bulk) => {
    await bulk.insert(idempotentTable, [{ ...stored, canonicalFingerprint: null }]);
  });
  const caller = callerOf({ [team]: both }, start);
  await expect(createKey(management, caller, unruly, 'unruly')).rejects.toMatchObject(rejected);
  await expect(createKey(management, later, unruly, 'unruly')).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
  const other = createKey(management, later, { ...input, name: '' }, 'the same');
  await expect(other).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  // A caller who may no longer manage keys learns nothing.
  await expect(createKey(management, callerOf({}), input, 'the same')).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect(await made()).toEqual(expect.arrayContaining([keyId]));
  expect(new Set(await made()).size).toBe(1);
});

it('the record has the fingerprint of earlier versions, so that an instance of one can answer the repeat', async () => {
  const { management } = running.service;
  const { team } = newTeam();
  const input = { teamId: team, name: 'A key', env: 'live', tags: ['b', 'a'] } as const;
  await createKey(management, callerOf({ [team]: both }), input, 'the same');
  const record = await management.store.idempotentCreates.find(idempotencyId(team, 'tester', 'the same'));
  const parts = ['live', false, ['name', 'A key'], ['tags', ['b', 'a']]];
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
  expect(record?.fingerprint).toBe(digest);
});

it('an idempotency key belongs to one caller and team: another caller or team can use the same one', async () => {
  const key = randomUUID();
  const mine = newTeam('me');
  expect((await mine.post(key)).status).toBe(201);
  expect((await newTeam('me').post(key)).status).toBe(201);
  expect((await newTeam('you', mine.team).post(key)).status).toBe(201);
  expect((await mine.post(key)).status).toBe(409);
  const stranger = await rest(
    urls[0],
    sessionToken({}, 'me'),
    'POST',
    '/v1/keys',
    { teamId: mine.team, name: 'A key', env: 'live' },
    { 'idempotency-key': key },
  );
  expect([stranger.status, stranger.body.code]).toEqual([403, 'FORBIDDEN']);
});

it('a rejected create can be repeated, and a repeated successful one gets the id of its key even at the limit of keys', async () => {
  const { team, post, made } = newTeam();
  const key = randomUUID();
  expect((await post(key, { name: '' })).status).toBe(400);
  expect((await post(key)).status).toBe(201);
  for (const _ of [2, 3]) expect((await post(null)).status).toBe(201);
  expect((await post(key)).body.code).toBe('KEY_ALREADY_CREATED');
  const late = randomUUID();
  expect((await post(late)).body.code).toBe('KEY_LIMIT_REACHED');
  await rest(urls[0], sessionToken({ [team]: both }), 'DELETE', `/v1/keys/${(await made())[0]}`);
  expect((await post(late)).status).toBe(201);
});

it('after 24 hours it creates another key, purged or not; before that, purging removes nothing', async () => {
  const { management } = running.service;
  const { team, made } = newTeam();
  const start = Date.now();
  const hours = (count: number, moreMs = 0) => new Date(start + count * 3_600_000 + moreMs);
  const at = async (now: Date) => {
    const input = { teamId: team, name: 'A key', env: 'live' } as const;
    return await createKey(management, callerOf({ [team]: both }, now), input, 'the same').then(
      ({ apiKey }) => apiKey.id,
      ({ code }) => code,
    );
  };
  const first = await at(hours(0));
  await management.store.purge.idempotentCreates(hours(24, -1));
  expect(await at(hours(24, -1))).toBe('KEY_ALREADY_CREATED');
  const second = await at(hours(24));
  expect(await at(hours(47))).toBe('KEY_ALREADY_CREATED');
  await management.store.purge.idempotentCreates(hours(48));
  const third = await at(hours(47));
  expect(await made()).toEqual([third, second, first]);
});

it('an invalid idempotency key is rejected over REST and GraphQL, and no key is created', async () => {
  const { post, ask, made } = newTeam();
  for (const bad of ['', '""', '"open', 'a b', 'a, b', '"a";p=1', 'x'.repeat(256), `"${'x'.repeat(256)}"`]) {
    const { status, body } = await post(bad);
    expect([status, body.errors?.[0].field], bad).toEqual([400, 'Idempotency-Key']);
  }
  const lines = await send(urls[0], {
    method: 'POST',
    path: '/v1/keys',
    headers: {
      authorization: `Bearer ${sessionToken({})}`,
      'content-type': 'application/json',
      'idempotency-key': ['a', 'b'],
    },
    body: '{}',
  });
  expect(JSON.parse(lines.body).errors[0].field).toBe('Idempotency-Key');
  for (const bad of ['', 'x'.repeat(256), 'ключ', 'a\n']) {
    const { extensions } = (await ask(bad)).body.errors[0];
    expect(extensions.errors, bad).toEqual([expect.objectContaining({ field: 'idempotencyKey' })]);
  }
  expect(await made()).toEqual([]);
});

it.each([
  ['"8e03978e-40d5-43dd-bc93-6894a57f9324"', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
  ['8e03978e-40d5-43dd-bc93-6894a57f9324', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
  ['"a \\"b\\" \\\\, c"', 'a "b" \\, c'],
  [undefined, undefined],
])('Idempotency-Key: %s is read as %s, quoted as the draft has it or bare', (header, key) => {
  expect(parseIdempotencyHeader(header)).toEqual({ ok: true, value: key });
});
