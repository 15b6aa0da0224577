/** A REST caller gets the errors of its parameters, headers and fields at once, whatever is wrong with each. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { FieldError } from '../../src/domain/errors.ts';
import { inTests } from '../support/in-tests.ts';
import { type Answer, both, rest, sessionToken, startService } from '../support/service.ts';

const team = randomUUID();
const token = sessionToken({ [team]: both });
const running = inTests(() => startService('sqlite'));

const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> =>
  rest(running.url, token, method, path, body, headers);
const create = async () => (await call('POST', '/v1/keys', { teamId: team, name: 'A key', env: 'live' })).body;

it('POST returns what breaks a rule together with unknown fields and wrong types, and a bad header', async () => {
  const body = {
    teamId: team,
    name: '',
    expiresAT: null,
    expiresAt: '2020-01-01T00:00:00Z',
    allowedIps: ['10.0.0.0/8', 'a b'],
    scopes: ['read', 5],
    tags: ['a', 'a'],
    metadata: [],
    rateLimit: { limit: 0, windowSeconds: '60', window: 60 },
  };
  const answer = await call('POST', '/v1/keys?force=1', body, { 'idempotency-key': 'é' });
  expect(answer.status).toBe(400);
  expect(answer.body.errors.map(({ field, message }: FieldError) => `${field}: ${message}`)).toEqual([
    'force: is not a known parameter',
    'Idempotency-Key: must have 1 to 255 printable ASCII characters, between quotes',
    'expiresAT: is not a known field',
    'name: must have 1 to 100 characters after trimming',
    'env: is required',
    'expiresAt: must be in the future',
    expect.stringMatching(/^allowedIps\[1\]: must be an IP address, a CIDR range or a host name/),
    'scopes[1]: must be a string',
    'tags[1]: must not be given twice',
    'metadata: must be a JSON object',
    'rateLimit.window: is not a known field',
    'rateLimit.limit: must be from 1 to 1000000',
    'rateLimit.windowSeconds: must be a whole number',
  ]);
});

it('PATCH does so too, and returns what may not be null', async () => {
  const { id: keyId } = await create();
  const body = { nam: 'x', name: null, expiresAt: 5, externalId: ' ', rateLimit: null };
  const answer = await call('PATCH', `/v1/keys/${keyId}`, body, { 'if-match': 'x' });
  expect(answer.status).toBe(400);
  expect(answer.body.errors.map(({ field }: FieldError) => field)).toEqual([
    'If-Match',
    'nam',
    'name',
    'expiresAt',
    'externalId',
  ]);
});

it('a call with an unknown parameter, field or condition changes nothing, even if all the rest is valid', async () => {
  const { id: keyId } = await create();
  const before = (await call('GET', `/v1/keys/${keyId}`)).body;
  const patch = (query: string, headers = {}) => call('PATCH', `/v1/keys/${keyId}${query}`, { name: 'Other' }, headers);
  expect((await patch('?force=1')).body.errors).toMatchObject([{ field: 'force' }]);
  expect((await patch('', { 'if-match': 'x' })).body.errors).toMatchObject([{ field: 'If-Match' }]);
  const rotation = await call('POST', `/v1/keys/${keyId}/rotate`, { overlap: 5, overlapSeconds: 'x' });
  expect(rotation.body.errors).toMatchObject([{ field: 'overlap' }, { field: 'overlapSeconds' }]);
  const conditional = await call('DELETE', `/v1/keys/${keyId}?force=1`, undefined, { 'if-match': '*' });
  const message = 'is for putting, changing and rotating a key only';
  expect(conditional.body.errors).toMatchObject([{ field: 'force' }, { field: 'If-Match', message }]);
  const signing = await call('POST', `/v1/keys/${keyId}/signing/enable`, { algorithm: 'md5' });
  expect(signing.body.errors).toEqual([{ field: 'algorithm', message: 'is not a known field' }]);
  expect((await call('GET', `/v1/keys/${keyId}`)).body).toEqual(before);
});
