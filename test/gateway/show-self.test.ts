// SECURITY.md: A key
/** `GET /v1/keys/self`: what the holder of a key is shown. */
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { mintSecret } from '../../src/domain/secret/secret.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import { revokeKey } from '../../src/manage/change/key-state.ts';
import { rotateKey } from '../../src/manage/change/rotate-key.ts';
import { send, sharedGateway } from '../support/gateway.ts';

const path = '/v1/keys/self';
const gateway = sharedGateway('sqlite', { UNKNOWN_KEY_LIMIT: '4', SOURCE_HEADER: 'X-Real-IP' });
const show = (key: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
  send(gateway.url, { method, path, headers: { authorization: `Bearer ${key}`, ...headers } });
const create = (settings: object = {}) =>
  createKey(gateway.management, gateway.caller(), { teamId: gateway.teamId, name: 'Shop', env: 'live', ...settings });

it('shows the settings that matter to the holder, and neither team, external id nor metadata', async () => {
  const expiresAt = new Date(Date.now() + 3_600_000);
  const shown = { rateLimit: { limit: 10, windowSeconds: 60 }, scopes: ['orders:read'] };
  const hidden = { externalId: 'customer-42', metadata: { plan: 'a' } };
  const { apiKey, secret } = await create({ expiresAt, ...shown, ...hidden });
  const { status, headers, body } = await show(secret);
  expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
  expect(JSON.parse(body)).toStrictEqual({
    name: 'Shop',
    env: 'live',
    prefix: apiKey.prefix,
    expiresAt: expiresAt.toISOString(),
    ...shown,
    secret: 'current',
  });
  const head = await show(secret, {}, 'HEAD');
  expect([head.status, head.body, head.headers['content-length']]).toEqual([200, '', String(Buffer.byteLength(body))]);
});

it('shows which secret was presented, as long as it is accepted', async () => {
  const { apiKey, secret } = await create();
  const rotated = await rotateKey(gateway.management, gateway.caller(), apiKey.id, { overlapSeconds: 60 });
  const secretOf = async (key: string) => JSON.parse((await show(key)).body).secret;
  expect([await secretOf(secret), await secretOf(rotated.secret)]).toEqual(['previous', 'current']);
  await rotateKey(gateway.management, gateway.caller(), apiKey.id);
  const { status, body } = await show(secret);
  expect([status, JSON.parse(body).code]).toEqual([401, 'ROTATED']);
  await revokeKey(gateway.management, gateway.caller(), apiKey.id);
  expect(JSON.parse((await show(rotated.secret)).body).code).toBe('REVOKED');
});

it('does not count as a use of the key, and checks neither source nor signature', async () => {
  const restricted = await create({ allowedIps: ['192.0.2.1', 'api.example.invalid'] });
  const signing = await gateway.issueSigning();
  const before = gateway.running.service.readings.verification?.();
  const counted = () => Object.values(before?.verdicts ?? {}).reduce((sum, count) => sum + count, 0);
  const verdicts = counted();
  for (const key of [restricted.secret, signing.secret]) expect((await show(key)).status).toBe(200);
  expect(counted()).toBe(verdicts);
  expect(gateway.running.service.readings.verification?.().usage.waiting).toBe(0);
});

it('limits unknown keys by address, and says the same of each', async () => {
  const from = { 'x-real-ip': '203.0.113.9' };
  const unknown = () => mintSecret('lk', 'live', randomBytes).secret;
  const answers = [];
  for (let i = 0; i < 5; i += 1) answers.push(await show(unknown(), from));
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 429]);
  const unknownKeys = [...answers.slice(0, 4), await show('nothing of ours')];
  expect(new Set(unknownKeys.map(({ body }) => body)).size).toBe(1);
  const { secret } = await create();
  expect((await show(unknown(), { 'x-real-ip': '203.0.113.10' })).status).toBe(401);
  expect((await show(secret)).status).toBe(200);
});
