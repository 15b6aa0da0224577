/** Restrictions, rotation and disabling over REST; what the other instances make of it is in test/gateway/key-lifecycle.test.ts. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { theProvider } from '../support/databases.ts';
import { startGateway } from '../support/gateway.ts';
import { inTests } from '../support/in-tests.ts';
import { type Answer, both, graphql, importing, rest, sessionToken } from '../support/service.ts';

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const settings = {
  description: 'Used by the nightly build',
  allowedIps: ['203.0.113.0/24 # the office'],
  scopes: ['orders:read', 'orders:write'],
  externalId: 'customer-42',
  tags: ['shop', 'ci'],
  metadata: { plan: 'pro', limits: { seats: [1, 2.5, null, true] } },
  rateLimit: { limit: 100, windowSeconds: 60 },
};
const noSettings = {
  description: null,
  allowedIps: [],
  scopes: [],
  externalId: null,
  tags: [],
  metadata: null,
  rateLimit: null,
};

const gateway = inTests(() => startGateway(theProvider));
const team = randomUUID();
const token = sessionToken({ [team]: both });
const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> =>
  rest(gateway.running.url, token, method, `/v1/keys${path}`, body, headers);
const create = (fields: object = {}) => call('POST', '', { teamId: team, name: 'A key', env: 'live', ...fields });
const verdictOf = async (key: string) =>
  (await rest(gateway.url, null, 'POST', '/v1/verify', { key, sourceIp: '203.0.113.9' })).body;
const actionsOf = async (keyId: string) => {
  const { store } = gateway.running.service.management;
  return (await store.auditLog.list({ teamId: team, keyId, limit: 20 })).map(({ action }) => action);
};

describe('reading a key', () => {
  it('answers every setting and state of it, and its entity tag, but no secret', async () => {
    const created = await create({ ...settings, expiresAt: '2999-01-01T00:00:00Z', signing: true });
    const { id, prefix } = created.body;
    const read = await call('GET', `/${id}`);
    expect([read.status, read.headers.get('etag')]).toEqual([200, created.headers.get('etag')]);
    expect(read.body).toStrictEqual({
      ...settings,
      id,
      teamId: team,
      name: 'A key',
      env: 'live',
      prefix,
      state: 'ACTIVE',
      expiresAt: '2999-01-01T00:00:00.000Z',
      responsible: 'tester',
      signingEnabled: true,
      lastUsedAt: null,
      createdAt: expect.stringMatching(time),
      disabledAt: null,
      rotatedAt: null,
      previousPrefix: null,
      previousSecretExpiresAt: null,
      previousSigningSecretExpiresAt: null,
      secrets: [{ current: true, prefix, expiresAt: null, lastUsedAt: null }],
      revokedAt: null,
    });
  });

  it('answers the use of a key even if the client has its entity tag, which use does not change', async () => {
    const { secret, id } = (await create()).body;
    const etag = (await call('GET', `/${id}`)).headers.get('etag') ?? '';
    await verdictOf(secret);
    const read = async () => (await call('GET', `/${id}`, undefined, { 'if-none-match': etag })).body?.lastUsedAt;
    await expect.poll(read).toMatch(time);
  });

  it('answers a revoked key', async () => {
    const { id } = (await create()).body;
    await call('DELETE', `/${id}`);
    expect((await call('GET', `/${id}`)).body).toMatchObject({ state: 'REVOKED', revokedAt: expect.any(String) });
  });
});

describe('settings', () => {
  it('given at creation are in force, and the answer has no field more than without them', async () => {
    const { status, body } = await create(settings);
    expect([status, Object.keys(body)]).toEqual([201, ['id', 'name', 'env', 'prefix', 'secret']]);
    const { scopes, externalId, metadata } = settings;
    const verdict = await verdictOf(body.secret);
    expect(verdict).toMatchObject({ code: 'VALID', scopes, externalId, metadata });
    expect(verdict).not.toHaveProperty('description');
    const elsewhere = { key: body.secret, sourceIp: '198.51.100.1' };
    expect((await rest(gateway.url, null, 'POST', '/v1/verify', elsewhere)).body.code).toBe('SOURCE_NOT_ALLOWED');
  });

  it('numbers in metadata come back as they were sent, from the key, its verdict and its history', async () => {
    const numbers =
      '[0.1,-1.0,1e2,9007199254740992,1e23,5e-324,1.7976931348623157e308,0.30000000000000004,-123456789.5]';
    const body = `{"teamId":"${team}","name":"Numbers","env":"live","metadata":{"numbers":${numbers}}}`;
    const { id, secret } = (await call('POST', '', body)).body;
    const metadata = { numbers: JSON.parse(numbers) };
    expect((await call('GET', `/${id}`)).body.metadata).toStrictEqual(metadata);
    expect((await verdictOf(secret)).metadata).toStrictEqual(metadata);
    const { store } = gateway.running.service.management;
    const [entry] = await store.auditLog.list({ teamId: team, keyId: id, limit: 1 });
    expect(entry?.changes).toContainEqual({ field: 'metadata', before: null, after: JSON.stringify(metadata) });
  });

  it.each(['750727362669608961', '1e400', '-9007199254740993', '0.1000000000000000055', '1e-400'])(
    'a number in metadata that would come back as another one is rejected: %s',
    async (number) => {
      const asText = 'as text, in quotation marks: as a number, it would be changed';
      const { id } = (await create()).body;
      const errors = [{ field: 'metadata.ids[1]', message: `must be given ${asText}` }];
      const metadata = `"metadata":{"ids":["${number}",${number}]}`;
      const created = await call('POST', '', `{"teamId":"${team}","name":"A key","env":"live",${metadata}}`);
      expect([created.status, created.body.errors]).toEqual([400, errors]);
      const changed = await call('PATCH', `/${id}`, `{${metadata}}`);
      expect([changed.status, changed.body.errors]).toEqual([400, errors]);
      const variables = `{"query":"${update}","variables":{"id":"${id}","input":{${metadata}}}}`;
      const byVariable = await rest(gateway.running.url, token, 'POST', '/graphql', variables);
      expect(byVariable.body.errors[0].extensions.errors).toEqual([
        { field: 'variables.input.metadata.ids[1]', message: `must be given ${asText}` },
      ]);
      const literal = `mutation { updateKey(id: "${id}", input: { metadata: { ids: [1, ${number}] } }) { apiKey { id } } }`;
      const byLiteral = await graphql(gateway.running.url, token, literal);
      expect(byLiteral.body.errors).toMatchObject([
        {
          message: `The number here must be given ${asText}.`,
          locations: [{ line: 1, column: literal.indexOf(number) + 1 }],
          extensions: { code: 'BAD_USER_INPUT' },
        },
      ]);
      expect((await call('GET', `/${id}`)).body.metadata).toBeNull();
    },
  );

  it.each(['{ plan: gold }', '{ plans: ["silver", gold] }', 'gold'])(
    'a name without quotation marks in metadata is rejected, and not left out: %s',
    async (metadata) => {
      const { id } = (await create()).body;
      const literal = `mutation { updateKey(id: "${id}", input: { metadata: ${metadata} }) { apiKey { id } } }`;
      expect((await graphql(gateway.running.url, token, literal)).body.errors).toMatchObject([
        {
          message: 'The text here must be in quotation marks: JSON has no names.',
          locations: [{ line: 1, column: literal.indexOf('gold') + 1 }],
          extensions: { code: 'BAD_USER_INPUT' },
        },
      ]);
      expect((await call('GET', `/${id}`)).body.metadata).toBeNull();
    },
  );

  it('with signing, the answer to a create has the signing secret too', async () => {
    const { body } = await create({ signing: true });
    expect(Object.keys(body)).toEqual(['id', 'name', 'env', 'prefix', 'secret', 'signingSecret']);
    expect(body.signingSecret).toMatch(/^[0-9a-f]{64}$/);
    expect((await verdictOf(body.secret)).code).toBe('SIGNATURE_REQUIRED');
    expect(Object.keys((await create({ signing: false })).body)).not.toContain('signingSecret');
  });

  it('are changed and removed by PATCH, whose answer keeps its fields', async () => {
    const { id } = (await create()).body;
    const { status, body } = await call('PATCH', `/${id}`, settings);
    const fields = ['id', 'name', 'env', 'prefix', 'allowedIps', 'expiresAt', 'lastUsedAt', 'createdAt'];
    expect([status, Object.keys(body)]).toEqual([200, fields]);
    expect((await call('GET', `/${id}`)).body).toMatchObject(settings);
    await call('PATCH', `/${id}`, noSettings);
    expect((await call('GET', `/${id}`)).body).toMatchObject(noSettings);
  });

  const bad: readonly (readonly [field: string, message: string, input: object])[] = [
    ['scopes[2]', 'must not be given twice', { scopes: ['a', 'b', 'a'] }],
    ['tags[0]', 'must have 1 to 64 characters after trimming', { tags: [' '] }],
    ['externalId', 'must have 1 to 255 characters after trimming', { externalId: '' }],
    ['description', 'must have no control characters: character 4 is U+000A', { description: 'two\nlines' }],
    ['metadata', 'must be a JSON object', { metadata: [] }],
    ['rateLimit.windowSeconds', 'is required', { rateLimit: { limit: 1 } }],
    ['rateLimit.limit', 'must be a whole number', { rateLimit: { limit: '1', windowSeconds: 1 } }],
  ];
  const createOverGraphql = 'mutation ($input: CreateKeyInput!) { createKey(input: $input) { secret } }';
  const update =
    'mutation ($id: UUID!, $input: UpdateKeyInput!) { updateKey(id: $id, input: $input) { apiKey { id } } }';
  const importKeys =
    'mutation ($team: UUID!, $keys: [ImportKeyInput!]!) { importKeys(teamId: $team, keys: $keys) { dryRun } }';

  it.each(bad)(
    'are rejected by field, over REST and GraphQL, at creation, import and later: %s %s',
    async (field, message, input) => {
      const { id } = (await create()).body;
      const importer = sessionToken({ [team]: importing });
      const overGraphql = async (query: string, variables: Readonly<Record<string, unknown>>) =>
        (await graphql(gateway.running.url, importer, query, variables)).body.errors[0].extensions;
      const key = { name: 'A key', env: 'live', ...input };
      const answers = [
        (await create(input)).body,
        (await call('PATCH', `/${id}`, input)).body,
        await overGraphql(createOverGraphql, { input: { teamId: team, ...key } }),
        await overGraphql(update, { id, input }),
      ];
      for (const { code, errors } of answers)
        expect({ code, errors }).toEqual({ code: 'BAD_USER_INPUT', errors: [{ field, message }] });
      const imported = await overGraphql(importKeys, { team, keys: [{ digest: 'a'.repeat(64), ...key }] });
      expect(imported.errors).toEqual([{ field: `keys[0].${field}`, message }]);
      expect((await call('GET', `/${id}`)).body).toMatchObject(noSettings);
    },
  );
});

describe('rotating a key', () => {
  it('answers the new secret and until when the previous one works, and keeps the settings', async () => {
    const { id, prefix, secret } = (await create(settings)).body;
    const { status, headers, body } = await call('POST', `/${id}/rotate`, { overlapSeconds: 3600 });
    expect(status).toBe(200);
    expect(body).toStrictEqual({
      id,
      prefix: expect.stringMatching(/^lk_live_\w{8}$/),
      secret: expect.stringMatching(new RegExp(`^${body.prefix}_[0-9A-Za-z]{49}$`)),
      previousSecretExpiresAt: expect.stringMatching(time),
    });
    expect(Date.parse(body.previousSecretExpiresAt) - Date.now()).toBeGreaterThan(3_590_000);
    expect(await verdictOf(secret)).toMatchObject({ code: 'VALID', secret: 'previous' });
    expect(await verdictOf(body.secret)).toMatchObject({ code: 'VALID', secret: 'current' });
    const read = await call('GET', `/${id}`);
    expect(read.headers.get('etag')).toBe(headers.get('etag'));
    const { previousSecretExpiresAt } = body;
    expect(read.body).toMatchObject({
      ...settings,
      prefix: body.prefix,
      previousPrefix: prefix,
      previousSecretExpiresAt,
    });
  });

  it('answers the expiry as the end of an overlap that outlasts the key, and its own end once the expiry is moved', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const { id } = (await create({ expiresAt, signing: true })).body;
    const { body } = await call('POST', `/${id}/rotate`, { overlapSeconds: 86_400 });
    await call('POST', `/${id}/signing/rotate`, { overlapSeconds: 86_400 });
    expect(body.previousSecretExpiresAt).toBe(expiresAt);
    const endsOf = async () => {
      const { secrets, previousSecretExpiresAt, previousSigningSecretExpiresAt } = (await call('GET', `/${id}`)).body;
      return [secrets[1].expiresAt, previousSecretExpiresAt, previousSigningSecretExpiresAt];
    };
    expect(await endsOf()).toEqual([expiresAt, expiresAt, expiresAt]);
    const { events } = (await rest(gateway.running.url, token, 'GET', `/v1/events?teamId=${team}&limit=100`)).body;
    type Told = { readonly data: { readonly key: { readonly id: string }; readonly changes: readonly object[] } };
    expect(events.filter(({ data }: Told) => data.key.id === id).flatMap(({ data }: Told) => data.changes)).toEqual(
      expect.arrayContaining([
        { field: 'previousSecretExpiresAt', before: null, after: expiresAt },
        { field: 'previousSigningSecretExpiresAt', before: null, after: expiresAt },
      ]),
    );
    await call('PATCH', `/${id}`, { expiresAt: null });
    for (const end of await endsOf()) expect(Date.parse(end) - Date.now()).toBeGreaterThan(86_000_000);
    await call('POST', `/${id}/disable`);
    for (const end of await endsOf()) expect(end).not.toBeNull();
    await call('DELETE', `/${id}`);
    expect(await endsOf()).toEqual([null, null, null]);
  });

  it.each([undefined, {}, { overlapSeconds: 0 }])(
    'with the body %j ends the previous secret at once',
    async (given) => {
      const { id, secret } = (await create()).body;
      const { body } = await call('POST', `/${id}/rotate`, given);
      expect(body.previousSecretExpiresAt).toBeNull();
      expect([(await verdictOf(secret)).code, (await verdictOf(body.secret)).code]).toEqual(['ROTATED', 'VALID']);
    },
  );

  it('with If-Match rotates once, however often it is repeated', async () => {
    const { body, headers } = await create();
    const condition = { 'if-match': headers.get('etag') ?? '' };
    const rotate = () => call('POST', `/${body.id}/rotate`, { overlapSeconds: 60 }, condition);
    expect((await rotate()).status).toBe(200);
    expect((await rotate()).body).toMatchObject({ status: 412, code: 'PRECONDITION_FAILED' });
    expect((await verdictOf(body.secret)).code).toBe('VALID');
  });

  it('ends the overlap when asked to, and answers the same again', async () => {
    const { id, secret } = (await create()).body;
    await call('POST', `/${id}/rotate`, { overlapSeconds: 60 });
    for (const _ of [1, 2]) {
      const { status, body } = await call('POST', `/${id}/end-overlap`);
      expect([status, body]).toStrictEqual([200, { ok: true }]);
      expect((await verdictOf(secret)).code).toBe('ROTATED');
    }
    expect(await actionsOf(id)).toEqual(['OVERLAP_ENDED', 'KEY_ROTATED', 'KEY_CREATED']);
  });

  it.each([
    [{ overlapSeconds: -1 }, 'overlapSeconds', 'must be from 0 to 2592000 (30 days)'],
    [{ overlapSeconds: '60' }, 'overlapSeconds', 'must be a whole number'],
    [{ overlapSeconds: 0.5 }, 'overlapSeconds', 'must be a whole number'],
    [{ overlapSeconds: null }, 'overlapSeconds', 'must not be null'],
    [{ overlap: 60 }, 'overlap', 'is not a known field'],
    [{ id: randomUUID() }, 'id', 'is not a known field'],
    [[], 'body', 'must be a JSON object'],
  ])('rejects the body %j, of a key and of a signing secret', async (given, field, message) => {
    const { id, secret } = (await create()).body;
    await call('POST', `/${id}/signing/enable`);
    for (const path of ['rotate', 'signing/rotate']) {
      const { status, body } = await call('POST', `/${id}/${path}`, given);
      expect([status, body.errors]).toEqual([400, [{ field, message }]]);
    }
    expect((await verdictOf(secret)).code).toBe('SIGNATURE_REQUIRED');
  });

  it('rotates a signing secret with an overlap too', async () => {
    const { id } = (await create({ signing: true })).body;
    const { body } = await call('POST', `/${id}/signing/rotate`, { overlapSeconds: 60 });
    expect(Object.keys(body)).toEqual(['signingSecret']);
    expect((await call('GET', `/${id}`)).body.previousSigningSecretExpiresAt).toMatch(time);
    await call('POST', `/${id}/end-overlap`);
    expect((await call('GET', `/${id}`)).body.previousSigningSecretExpiresAt).toBeNull();
  });
});

describe('disabling a key', () => {
  it('rejects it until it is enabled, with the reasons in the audit trail, and a repeated call answers the same', async () => {
    const { id, secret } = (await create()).body;
    for (const [step, state, code] of [
      ['disable', 'DISABLED', 'DISABLED'],
      ['enable', 'ACTIVE', 'VALID'],
    ]) {
      const etags: (string | null)[] = [];
      for (const _ of [1, 2]) {
        const { status, body } = await call('POST', `/${id}/${step}`, { reason: 'an incident' });
        expect([status, body]).toStrictEqual([200, { ok: true }]);
        etags.push((await call('GET', `/${id}`)).headers.get('etag'));
      }
      expect(etags[0]).toBe(etags[1]);
      expect((await call('GET', `/${id}`)).body.state).toBe(state);
      expect((await verdictOf(secret)).code).toBe(code);
    }
    expect(await actionsOf(id)).toEqual(['KEY_ENABLED', 'KEY_DISABLED', 'KEY_CREATED']);
    const { store } = gateway.running.service.management;
    const [entry] = await store.auditLog.list({ teamId: team, keyId: id, limit: 1 });
    expect(entry?.changes).toContainEqual({ field: 'reason', before: null, after: 'an incident' });
  });

  it.each([
    [{ reason: '' }, 'must have 1 to 200 characters after trimming'],
    [{ reason: 'x'.repeat(201) }, 'must have 1 to 200 characters after trimming'],
    [{ reason: 5 }, 'must be a string'],
  ])('rejects the reason of %j', async (given, message) => {
    const { id, secret } = (await create()).body;
    for (const step of ['disable', 'enable'])
      expect((await call('POST', `/${id}/${step}`, given)).body.errors).toEqual([{ field: 'reason', message }]);
    expect((await verdictOf(secret)).code).toBe('VALID');
  });
});
