/** Webhooks over REST: exactly the specified fields, and what is rejected. */
import { createHmac, randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { updateWebhook } from '../../src/manage/webhooks/update-webhook.ts';
import { inTests } from '../support/in-tests.ts';
import { startReceiver } from '../support/receivers.ts';
import { callerOf, graphql, rest, sessionToken, startService } from '../support/service.ts';

const running = inTests(() => startService('sqlite', { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1' }));
const strict = inTests(() => startService('sqlite'));
const receiver = inTests(() => startReceiver(() => ({ status: 200, body: 'thanks' })));
const url = 'https://example.com/webhooks?token=hush';

/** A team of its own, and its calls. */
function newTeam() {
  const teamId = randomUUID();
  const token = sessionToken({ [teamId]: ['view_team', 'manage_keys', 'manage_webhooks'] });
  const call = (method: string, path: string, body?: object) => rest(running.url, token, method, path, body);
  return {
    teamId,
    token,
    call,
    create: (input: object = {}) => call('POST', '/v1/webhooks', { teamId, url, ...input }),
  };
}

it('creates, lists, changes and deletes webhooks, with exactly the specified fields', async () => {
  const { teamId, call, create } = newTeam();
  const created = await create({ types: ['key.created'] });
  expect(created.status).toBe(201);
  const { id, secret } = created.body;
  expect(created.headers.get('location')).toBe(`/v1/webhooks/${id}`);
  expect(created.body).toEqual({ id, url, types: ['key.created'], secret });
  expect(secret).toMatch(/^whsec_/);
  const webhook = {
    id,
    url,
    types: ['key.created'],
    description: null,
    form: 'STANDARD',
    signature: 'V1',
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    disabledAt: null,
    disabledReason: null,
  };
  const listed = await call('GET', `/v1/webhooks?teamId=${teamId}`);
  expect([listed.status, listed.body]).toEqual([200, [webhook]]);
  const changed = await call('PATCH', `/v1/webhooks/${id}`, { description: 'A text', enabled: false, types: [] });
  expect([changed.status, changed.body]).toEqual([
    200,
    { ...webhook, description: 'A text', types: [], disabledAt: expect.any(String), disabledReason: 'MANUAL' },
  ]);
  expect((await call('PATCH', `/v1/webhooks/${id}`, { enabled: true })).body.disabledAt).toBeNull();
  const rotated = await call('POST', `/v1/webhooks/${id}/rotate-secret`);
  expect([rotated.status, Object.keys(rotated.body)]).toEqual([200, ['secret']]);
  expect(rotated.body.secret).not.toBe(secret);
  const deleted = await call('DELETE', `/v1/webhooks/${id}`);
  expect([deleted.status, deleted.body]).toEqual([200, { ok: true }]);
  expect((await call('DELETE', `/v1/webhooks/${id}`)).body.code).toBe('WEBHOOK_NOT_FOUND');
  expect((await call('GET', `/v1/webhooks?teamId=${teamId}`)).body).toEqual([]);
});

it.each([
  ['no URL', { url: null }, ['url']],
  ['another scheme', { url: 'ftp://example.com' }, ['url']],
  ['credentials in the URL', { url: 'https://user:hush@example.com/' }, ['url']],
  [
    'an unknown type and a type that nobody can subscribe to',
    { types: ['key.made', 'webhook.tested'] },
    ['types[0]', 'types[1]'],
  ],
  ['too many types', { types: Array.from({ length: 100 }, () => 'key.created') }, ['types']],
  ['an empty description', { description: '' }, ['description']],
  ['an unknown form', { form: 'XML' }, ['form']],
  ['wrong types together with broken rules', { form: 1, types: ['x'], url: 'x' }, ['url', 'types[0]', 'form']],
  ['an unknown field', { secret: 'mine' }, ['secret']],
])('rejects %s', async (_, input, fields) => {
  const { teamId, call, create } = newTeam();
  const { status, body } = await create(input);
  expect([status, body.code]).toEqual([400, 'BAD_USER_INPUT']);
  expect(body.errors.map(({ field }: { field: string }) => field)).toEqual(fields);
  expect(JSON.stringify(body)).not.toContain('hush');
  expect((await call('GET', `/v1/webhooks?teamId=${teamId}`)).body).toEqual([]);
});

it.each([
  ['null', { url: null, types: null, form: null, enabled: null }, ['url', 'types', 'form', 'enabled']],
  ['the signature', { signature: 'V1A' }, ['signature']],
])('a change rejects %s', async (_, input, fields) => {
  const { call, create } = newTeam();
  const { status, body } = await call('PATCH', `/v1/webhooks/${(await create()).body.id}`, input);
  expect([status, body.errors.map(({ field }: { field: string }) => field)]).toEqual([400, fields]);
});

it('private addresses are rejected, unless the operator allows them', async () => {
  const { teamId, token, create } = newTeam();
  const atLoopback = { teamId, url: 'http://127.0.0.1:9999/' };
  expect((await create(atLoopback)).status).toBe(201);
  expect((await rest(strict.url, token, 'POST', '/v1/webhooks', atLoopback)).body.errors).toEqual([
    { field: 'url', message: expect.any(String) },
  ]);
});

it('a change that repeats the address of a webhook passes, although the operator no longer allows its network', async () => {
  const { teamId, create } = newTeam();
  const atLoopback = 'http://127.0.0.1:9999/';
  const { id } = (await create({ url: atLoopback })).body;
  const { management } = running.service;
  const caller = callerOf({ [teamId]: ['manage_webhooks'] });
  const withoutNetworks = { ...management, webhookNetworks: [] };
  const change = (url: string) => updateWebhook(withoutNetworks, caller, id, { url, description: 'Changed' });
  await expect(change('http://127.0.0.1:9998/')).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
  expect(await change(atLoopback)).toMatchObject({ url: atLoopback, description: 'Changed' });
});

it('an event is only replayed by its id or in a range, and an overlap has a limit', async () => {
  const { call, create } = newTeam();
  const { id } = (await create()).body;
  const fieldsOf = async (path: string, body: object) =>
    (await call('POST', `/v1/webhooks/${id}/${path}`, body)).body.errors.map(({ field }: { field: string }) => field);
  expect(await fieldsOf('replay', {})).toEqual(['eventIds']);
  expect(await fieldsOf('replay', { from: 'yesterday', other: 1 })).toEqual(['other', 'from']);
  expect(await fieldsOf('rotate-secret', { overlapSeconds: 2_592_001 })).toEqual(['overlapSeconds']);
  const replayed = await call('POST', `/v1/webhooks/${id}/replay`, { from: '2026-01-01T00:00:00Z' });
  // Its own creation.
  expect([replayed.status, replayed.body]).toEqual([200, { count: 1 }]);
});

it('a test event is sent at once and signed, also to a disabled webhook, and its delivery is listed', async () => {
  const { call, create } = newTeam();
  const { id, secret } = (await create({ url: receiver.url })).body;
  await call('PATCH', `/v1/webhooks/${id}`, { enabled: false });
  const { status, body } = await call('POST', `/v1/webhooks/${id}/test`);
  expect([status, body]).toEqual([
    200,
    { delivered: true, status: 200, durationMs: expect.any(Number), responseBody: 'thanks', error: null },
  ]);
  const { headers = {}, body: sent = '' } = receiver.requests.at(-1) ?? {};
  const event = JSON.parse(sent);
  expect(event).toMatchObject({ type: 'webhook.tested', data: { webhook: { id }, key: null } });
  expect(headers['webhook-id']).toBe(event.id);
  const signed = `${event.id}.${headers['webhook-timestamp']}.${sent}`;
  const mac = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64')).update(signed);
  expect(headers['webhook-signature']).toBe(`v1,${mac.digest('base64')}`);
  const deliveries = await call('GET', `/v1/webhooks/${id}/deliveries`);
  expect(deliveries.body).toEqual([
    {
      eventId: event.id,
      type: 'webhook.tested',
      keyId: id,
      outcome: 'DELIVERED',
      attempts: 1,
      status: 200,
      error: null,
      durationMs: body.durationMs,
      responseBody: 'thanks',
      createdAt: event.timestamp,
      attemptedAt: expect.any(String),
      nextAttemptAt: null,
    },
  ]);
});

it('a test event that fails says why', async () => {
  const failing = await startReceiver(() => ({ status: 500, body: 'x'.repeat(5000) }));
  const { call, create } = newTeam();
  const { id } = (await create({ url: failing.url })).body;
  const answered = (await call('POST', `/v1/webhooks/${id}/test`)).body;
  expect(answered).toMatchObject({ delivered: false, status: 500, error: expect.any(String) });
  expect(answered.responseBody).toHaveLength(1024);
  await failing.stop();
  const refused = (await call('POST', `/v1/webhooks/${id}/test`)).body;
  expect(refused).toMatchObject({ delivered: false, status: null, responseBody: '', error: expect.any(String) });
});

it('deliveries are listed in pages, newest first, and by outcome', async () => {
  const { teamId, call, create } = newTeam();
  const types = ['key.created', 'webhook.created'];
  const { id } = (await create({ url: 'https://webhook.invalid/', types })).body;
  for (let i = 0; i < 5; i += 1) await call('POST', '/v1/keys', { teamId, name: `Key ${i}`, env: 'live' });
  await call('POST', `/v1/webhooks/${id}/replay`, { from: '2026-01-01T00:00:00Z' });
  const pending = async () => (await call('GET', `/v1/webhooks/${id}/deliveries?outcome=PENDING`)).body.length;
  await expect.poll(pending).toBe(6);
  const listed: string[] = [];
  let path: string | undefined = `/v1/webhooks/${id}/deliveries?limit=4&outcome=PENDING`;
  let pages = 0;
  while (path !== undefined) {
    const page = await call('GET', path);
    expect(page.status).toBe(200);
    listed.push(...page.body.map(({ type }: { type: string }) => type));
    path = /^<(.*)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
    pages += 1;
  }
  expect([pages, listed]).toEqual([2, [...Array.from({ length: 5 }, () => 'key.created'), 'webhook.created']]);
  expect((await call('GET', `/v1/webhooks/${id}/deliveries?outcome=FAILED`)).body).toEqual([]);
  const wrong = await call('GET', `/v1/webhooks/${id}/deliveries?outcome=LOST&limit=0&cursor=x`);
  expect(wrong.body.errors.map(({ field }: { field: string }) => field)).toEqual(['outcome']);
  const outside = await call('GET', `/v1/webhooks/${id}/deliveries?limit=501&cursor=x`);
  expect(outside.body.errors.map(({ field }: { field: string }) => field)).toEqual(['limit', 'cursor']);
});

it('GraphQL shows the public key of an Ed25519 webhook, no other secret, and the last delivery', async () => {
  const { teamId, token, call, create } = newTeam();
  const { id, secret } = (await create({ signature: 'V1A', url: receiver.url })).body;
  await create();
  await call('POST', `/v1/webhooks/${id}/test`);
  const query = `query ($t: UUID!) { webhooks(teamId: $t) {
    id url types description form signature publicKey disabledReason previousSecretExpiresAt
    lastDelivery { eventId type outcome responseBody } } }`;
  const { body } = await graphql(running.url, token, query, { t: teamId });
  expect(body.data.webhooks).toMatchObject([
    { id, publicKey: secret, lastDelivery: { type: 'webhook.tested', outcome: 'DELIVERED', responseBody: 'thanks' } },
    { publicKey: null, lastDelivery: null },
  ]);
  expect(secret).toMatch(/^whpk_/);
});
