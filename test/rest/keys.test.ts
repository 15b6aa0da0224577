// SECURITY.md: Who may do what; A website that a signed-in user visits; Bytes from outside
/** The REST calls over a listening port: exactly the paths and fields that older clients rely on. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createKey } from '../../src/manage/change/create-key.ts';
import { revokeKey } from '../../src/manage/change/key-state.ts';
import { Decision } from '../../src/store/changes/change.ts';
import { keyWithId } from '../../src/store/changes/key-state.ts';
import { theProvider } from '../support/databases.ts';
import { inTests } from '../support/in-tests.ts';
import { type Answer, both, callerOf, graphql, rest, sessionToken, startService } from '../support/service.ts';
import { runSql } from '../support/sql.ts';

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const team = randomUUID();
const token = sessionToken({ [team]: both });

const running = inTests(() => startService(theProvider));
const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> =>
  rest(running.url, token, method, path, body, headers);
const create = async (fields: object = {}) =>
  (await call('POST', '/v1/keys', { teamId: team, name: 'A key', env: 'live', ...fields })).body;

describe('the answers have exactly the specified fields', () => {
  it('POST /v1/keys: 201, Location, id, name, env, prefix, secret', async () => {
    const answer = await call('POST', '/v1/keys', {
      teamId: team,
      name: 'A key',
      env: 'test',
      expiresAt: '2999-01-01T00:00:00Z',
    });
    expect(answer.status).toBe(201);
    const { id, prefix } = answer.body;
    expect(answer.body).toStrictEqual({
      id: expect.any(String),
      name: 'A key',
      env: 'test',
      prefix: expect.stringMatching(/^lk_test_\w{8}$/),
      secret: expect.stringMatching(new RegExp(`^${prefix}_[0-9A-Za-z]{49}$`)),
    });
    expect(answer.headers.get('location')).toBe(`/v1/keys/${id}`);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  it('GET /v1/keys: 200, an array of id, name, env, prefix, lastUsedAt, createdAt', async () => {
    const { id, prefix } = await create({ name: 'Listed' });
    const answer = await call('GET', `/v1/keys?teamId=${team}`);
    expect(answer.status).toBe(200);
    expect(answer.body.find((key: { id: string }) => key.id === id)).toStrictEqual({
      id,
      name: 'Listed',
      env: 'live',
      prefix,
      lastUsedAt: null,
      createdAt: expect.stringMatching(time),
    });
  });

  it('a list leaves out the revoked keys and keeps the expired and the disabled ones', async () => {
    const caller = callerOf({ [team]: both }, new Date('2026-01-01T00:00:00Z'));
    const input = { teamId: team, name: 'Expired', env: 'live', expiresAt: new Date('2026-01-02T00:00:00Z') } as const;
    const { apiKey: expired } = await createKey(running.service.management, caller, input);
    const [revoked, disabled] = [await create(), await create()];
    await call('DELETE', `/v1/keys/${revoked.id}`);
    await call('POST', `/v1/keys/${disabled.id}/disable`);
    const listed = (await call('GET', `/v1/keys?teamId=${team}`)).body.map(({ id }: { id: string }) => id);
    const made = [expired.id, revoked.id, disabled.id];
    expect(made.filter((id) => listed.includes(id))).toStrictEqual([expired.id, disabled.id]);
  });

  it('a list with filters has exactly the keys that meet all of them, and so have its pages', async () => {
    const shop = await create({ externalId: 'customer, 1', tags: ['shop', 'eu, us'] });
    const other = await create({ externalId: 'customer, 1', tags: ['shop'] });
    const gone = await create({ externalId: 'customer, 1', tags: ['shop', 'eu, us'] });
    const foreign = await create({ externalId: 'customer, 2', tags: ['shop', 'eu, us'] });
    await call('DELETE', `/v1/keys/${gone.id}`);
    await call('POST', `/v1/keys/${other.id}/disable`);
    const listed = async (...filters: [string, string][]): Promise<string[]> => {
      const query = (more: [string, string][]) => new URLSearchParams([['teamId', team], ...filters, ...more]);
      const ids = (answer: Answer) => answer.body.map(({ id }: { id: string }) => id);
      const all = ids(await call('GET', `/v1/keys?${query([])}`));
      const paged: string[] = [];
      let next: string | undefined = `/v1/keys?${query([['limit', '1']])}`;
      while (next !== undefined) {
        const page = await call('GET', next);
        paged.push(...ids(page));
        next = /^<(.*)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
      }
      expect(paged).toEqual(all);
      return all;
    };
    const customer: [string, string] = ['externalId', 'customer, 1'];
    expect(await listed(customer)).toEqual([other.id, shop.id]);
    expect(await listed(customer, ['tag', 'eu, us'], ['tag', 'shop'])).toEqual([shop.id]);
    expect(await listed(['tag', 'eu, us'])).toEqual([foreign.id, shop.id]);
    expect(await listed(customer, ['state', 'REVOKED'])).toEqual([gone.id]);
    expect(await listed(customer, ['state', 'REVOKED'], ['state', 'ACTIVE'])).toEqual([gone.id, shop.id]);
    expect(await listed(customer, ['tag', 'none'])).toEqual([]);
  });

  it('a list of revoked keys, of which a team has any number, is always a page', async () => {
    const names = Array.from({ length: 501 }, (_, i) => `Key ${i}`);
    const own = randomUUID();
    const ownToken = sessionToken({ [own]: both });
    const caller = callerOf({ [own]: both }, new Date());
    const { management } = running.service;
    const made = await Promise.all(
      names.map((name) => createKey(management, caller, { teamId: own, name, env: 'live' })),
    );
    await Promise.all(made.map(({ apiKey }) => revokeKey(management, caller, apiKey.id)));
    const list = (path: string) => rest(running.url, ownToken, 'GET', path);
    const first = await list(`/v1/keys?teamId=${own}&state=REVOKED`);
    const [, next = ''] = /^<(.*)>; rel="next"$/.exec(first.headers.get('link') ?? '') ?? [];
    const second = await list(next);
    expect([first.body.length, second.body.length, second.headers.get('link')]).toEqual([500, 1, null]);
  });

  it('PATCH /v1/keys/:id: 200, the key with allowedIps and expiresAt', async () => {
    const { id, prefix } = await create();
    const answer = await call('PATCH', `/v1/keys/${id}`, {
      name: 'Renamed',
      allowedIps: ['10.0.0.0/8 # office'],
      expiresAt: '2999-01-01T00:00:00+02:00',
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toStrictEqual({
      id,
      name: 'Renamed',
      env: 'live',
      prefix,
      allowedIps: ['10.0.0.0/8 # office'],
      expiresAt: '2998-12-31T22:00:00.000Z',
      lastUsedAt: null,
      createdAt: expect.stringMatching(time),
    });
  });

  it('DELETE /v1/keys/:id and disabling of signing: 200, ok, and again the same', async () => {
    const { id } = await create();
    for (const [method, path] of [
      ['POST', '/signing/disable'],
      ['DELETE', ''],
    ] as const)
      for (const _ of [1, 2]) {
        const answer = await call(method, `/v1/keys/${id}${path}`);
        expect([answer.status, answer.body]).toStrictEqual([200, { ok: true }]);
      }
  });

  it.each([
    ['enable', undefined],
    ['enable', {}],
    ['rotate', undefined],
  ])('POST /v1/keys/:id/signing/%s with the body %j: 200, signingSecret', async (operation, sent) => {
    const { id } = await create({ signing: operation === 'rotate' });
    const { status, body } = await call('POST', `/v1/keys/${id}/signing/${operation}`, sent);
    expect([status, body]).toStrictEqual([200, { signingSecret: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
  });
});

describe('bad input is rejected by name, and nothing changes', () => {
  const id = 'body';
  const twice = 'must be given once';
  const noObject = 'must be a JSON object';
  const noField = 'is not a known field';
  const date = 'must be an ISO 8601 date-time with an offset, such as 2030-01-31T12:00:00.000Z';
  const bodies: readonly (readonly [what: string, field: string, message: string, ...bodies: unknown[]])[] = [
    ['malformed JSON', id, 'must be valid JSON', '{"name": '],
    ['no UTF-8', id, 'must be UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
    ['a field twice', 'name', twice, '{"name": "a", "name": "b"}', '{"name": "a", "name": "a"}'],
    ['a field twice, once escaped', 'name', twice, '{"name": "a", "n\\u0061me": "a"}'],
    ['no object', id, noObject, [], 'null', '"name"', undefined, `${'['.repeat(30_000)}${']'.repeat(30_000)}`],
    ['a field nested deeply', 'name', 'must be a string', `{"name": ${'['.repeat(30_000)}${']'.repeat(30_000)}}`],
    ['another spelling', 'expiresAT', noField, { expiresAT: null }],
    ['a field of the answer', 'secret', noField, { secret: 'x' }],
    ['__proto__', '__proto__', noField, '{"__proto__": {"name": "x"}}'],
    ['an id', 'id', noField, { id: randomUUID() }],
    ['a name that is a number', 'name', 'must be a string', { name: 5 }],
    ['a name that is null', 'name', 'must not be null: omit it to keep the current name', { name: null }],
    [
      'no date',
      'expiresAt',
      date,
      ...['2030-02-30T00:00:00Z', '2030-01-01', '2030-01-01T25:00:00Z', '2030-01-01T00:00:00', '2030-01-01T00:00:60Z']
        .concat('soon', '')
        .map((expiresAt) => ({ expiresAt })),
      { expiresAt: 5 },
      { expiresAt: {} },
    ],
    ['sources that are text', 'allowedIps', 'must be a list', { allowedIps: '10.0.0.1' }],
    ['a source that is null', 'allowedIps[1]', 'must not be null', { allowedIps: ['10.0.0.1', null] }],
  ];

  it.each(bodies)('PATCH with %s', async (_, field, message, ...wrong) => {
    const { id: keyId } = await create({ name: 'Untouched' });
    for (const body of wrong) {
      const answer = await call('PATCH', `/v1/keys/${keyId}`, body, { 'content-type': 'application/json' });
      expect(answer.status).toBe(400);
      expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
      expect(answer.body).toStrictEqual({
        type: '/errors#BAD_USER_INPUT',
        title: 'The input is not valid',
        status: 400,
        detail: `${field}: ${message}`,
        code: 'BAD_USER_INPUT',
        requestId: answer.headers.get('x-request-id'),
        errors: [{ field, message }],
      });
    }
    const { management } = running.service;
    const untouched = { name: 'Untouched', expiresAt: null, allowedIps: [] };
    expect(await management.store.keys.find(keyId)).toMatchObject(untouched);
    expect(await management.store.auditLog.list({ teamId: team, keyId, limit: 10 })).toHaveLength(1);
  });

  it('a PATCH that repeats what a key has already passes, although the time or a newer rule would reject it today', async () => {
    const { management } = running.service;
    const past = new Date('2026-01-02T00:00:00.000Z');
    const caller = callerOf({ [team]: both }, new Date('2026-01-01T00:00:00Z'));
    const created = { teamId: team, name: 'Old', env: 'live', expiresAt: past } as const;
    const { apiKey } = await createKey(management, caller, created);
    // As an earlier version may have stored them.
    const stored = {
      description: 'an\u202eoldtext',
      allowedIps: ['10.0.0.1/8', ...Array.from({ length: 17 }, (_, i) => `host-${i}.example`)],
      externalId: 'x'.repeat(300),
      tags: ['twice', 'twice'],
      metadata: { b: 1, a: [[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]] },
    };
    await management.store.changes.submit({
      queueKey: team,
      load: keyWithId(apiKey.id),
      decide: (key) => new Decision(null, { key: { ...(key ?? apiKey), ...stored } }),
    });
    const path = `/v1/keys/${apiKey.id}`;
    const { metadata } = stored;
    const repeated = { ...stored, expiresAt: '2026-01-02T01:00:00+01:00', metadata: { a: metadata.a, b: metadata.b } };
    const changed = await call('PATCH', path, { ...repeated, name: 'New' });
    expect([changed.status, changed.body.errors, changed.body.name]).toEqual([200, undefined, 'New']);
    expect(await management.store.keys.find(apiKey.id)).toMatchObject({ ...stored, name: 'New', expiresAt: past });
    const [{ changes } = { changes: [] }] = await management.store.auditLog.list({
      teamId: team,
      keyId: apiKey.id,
      limit: 1,
    });
    expect(changes.map(({ field }) => field)).toEqual(['name']);
    const renamed = `mutation ($id: UUID!, $input: UpdateKeyInput!) { updateKey(id: $id, input: $input) { apiKey { name } } }`;
    const input = { expiresAt: past.toISOString(), name: 'Newer' };
    const answer = await graphql(running.url, token, renamed, { id: apiKey.id, input });
    expect(answer.body.data.updateKey.apiKey.name).toBe('Newer');
    for (const wrong of [
      { expiresAt: '2026-01-02T00:00:00.001Z' },
      { allowedIps: stored.allowedIps.slice(1) },
      { tags: ['twice', 'twice', 'twice'] },
    ]) {
      const { status, body } = await call('PATCH', path, { name: 'Newest', ...wrong });
      expect([status, body.errors?.map(({ field }: { field: string }) => field)[0]?.replace(/\[.*/, '')]).toEqual([
        400,
        Object.keys(wrong)[0],
      ]);
    }
    expect(await management.store.keys.find(apiKey.id)).toMatchObject({ ...stored, name: 'Newer', expiresAt: past });
  });

  it('an id that is not a UUID, or not even text, is bad input', async () => {
    const errors = [{ field: 'id' }];
    expect((await call('DELETE', '/v1/keys/nope')).body).toMatchObject({ status: 400, code: 'BAD_USER_INPUT', errors });
    expect((await call('DELETE', '/v1/keys/%zz')).body).toMatchObject({ status: 400, code: 'BAD_USER_INPUT' });
  });

  it.each([
    ['', 'teamId', 'is required'],
    ['?teamId=', 'teamId', 'must be a UUID, such as 123e4567-e89b-42d3-a456-426614174000'],
    ['?teamId=x', 'teamId', 'must be a UUID, such as 123e4567-e89b-42d3-a456-426614174000'],
    [`?teamId=${team}&teamId=${team}`, 'teamId', 'must be given once'],
    [`?teamId=${team}&teamid=${team}`, 'teamid', 'is not a known parameter'],
    [`?teamId=${team}&__proto__=`, '__proto__', 'is not a known parameter'],
    [`?teamId=${team}&constructor=x`, 'constructor', 'is not a known parameter'],
    [`?teamId=${team}&limit=0`, 'limit', 'must be from 1 to 500'],
    [`?teamId=${team}&limit=501`, 'limit', 'must be from 1 to 500'],
    [`?teamId=${team}&limit=1e1`, 'limit', 'must be a whole number from 1 to 500'],
    [`?teamId=${team}&limit=9999999999`, 'limit', 'must be a whole number from 1 to 500'],
    [`?teamId=${team}&cursor=junk`, 'cursor', 'must be a cursor of this list, from the same orderBy'],
    [`?teamId=${team}&externalId=`, 'externalId', 'must have 1 to 255 characters after trimming'],
    [`?teamId=${team}&externalId=a&externalId=b`, 'externalId', 'must be given once'],
    [`?teamId=${team}&tag=shop&tag=`, 'tag[1]', 'must have 1 to 64 characters after trimming'],
    [`?teamId=${team}${'&tag=shop'.repeat(21)}`, 'tag', 'must have at most 20 entries'],
    [`?teamId=${team}&tags=shop`, 'tags', 'is not a known parameter'],
    [`?teamId=${team}&state=ACTIVE&state=GONE`, 'state[1]', 'must be one of ACTIVE, EXPIRED, DISABLED, REVOKED'],
    [`?teamId=${team}&state=active`, 'state[0]', 'must be one of ACTIVE, EXPIRED, DISABLED, REVOKED'],
    [`?teamId=${team}${'&state=ACTIVE'.repeat(5)}`, 'state', 'must have at most 4 entries'],
  ])('GET /v1/keys%s', async (query, field, message) => {
    const answer = await call('GET', `/v1/keys${query}`);
    expect([answer.status, answer.body.errors]).toStrictEqual([400, [{ field, message }]]);
  });
});

describe('the transport', () => {
  it('reads no body of a caller without a token', async () => {
    const answer = await rest(running.url, null, 'POST', '/v1/keys', '{"name": ');
    expect([answer.status, answer.body.code]).toEqual([401, 'UNAUTHENTICATED']);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    const over = await graphql(running.url, null, '{ __typename }');
    expect([over.status, over.body.errors[0].extensions.code]).toEqual([401, 'UNAUTHENTICATED']);
    expect(over.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('rejects an API key as a session token, with a hint', async () => {
    const { secret } = await create();
    const answer = await rest(running.url, secret, 'GET', `/v1/keys?teamId=${team}`);
    expect(answer.body).toMatchObject({
      status: 401,
      detail: 'This is an API key. Management calls need a session token (a JWT) or a management key.',
    });
  });

  it('answers an unknown path and a wrong method with problem documents', async () => {
    expect((await call('GET', '/v1/nothing')).body).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    const answer = await call('PUT', '/v1/keys', {});
    expect(answer.body).toMatchObject({ status: 405, code: 'METHOD_NOT_ALLOWED' });
    expect(answer.headers.get('allow')).toBe('POST, GET');
  });

  it('forbids caching of every response, and sets the usual security headers', async () => {
    for (const [path, body] of [
      ['/v1/keys', {}],
      ['/graphql', { query: '{ __typename }' }],
    ] as const) {
      const { headers } = await call('POST', path, body);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('strict-transport-security')).toContain('max-age=');
      expect(headers.get('content-security-policy')).toContain("default-src 'self'");
      expect(headers.get('x-powered-by')).toBeNull();
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  it('allows the configured origins only', async () => {
    const open = await startService(theProvider, { CORS_ORIGINS: 'https://app.example.com' });
    const preflight = (origin: string) =>
      fetch(`${open.url}/v1/keys`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST' },
      });
    const good = await preflight('https://app.example.com');
    expect([good.status, good.headers.get('access-control-allow-origin')]).toEqual([204, 'https://app.example.com']);
    const { headers } = await fetch(`${open.url}/v1/keys`, { headers: { origin: 'https://app.example.com' } });
    expect(headers.get('access-control-expose-headers')).toContain('Latchkey-Revision');
    expect((await preflight('https://evil.example')).headers.get('access-control-allow-origin')).toBeNull();
    await open.stop();
  });

  it('takes a PATCH as JSON Merge Patch too, and no other call, and JSON in no other charset than UTF-8', async () => {
    const { id } = (await rest(running.url, token, 'POST', '/v1/keys', { teamId: team, name: 'x', env: 'live' })).body;
    const send = (method: string, path: string, type: string) =>
      rest(running.url, token, method, path, { name: 'Ä' }, { 'content-type': type });
    for (const type of ['application/merge-patch+json', 'Application/Merge-Patch+JSON; charset=UTF-8']) {
      const { status, body } = await send('PATCH', `/v1/keys/${id}`, type);
      expect([status, body.name]).toEqual([200, 'Ä']);
    }
    for (const type of ['application/json-patch+json', 'application/x+json']) {
      expect((await send('PATCH', `/v1/keys/${id}`, type)).status).toBe(415);
    }
    expect((await send('POST', '/v1/keys', 'application/merge-patch+json')).status).toBe(415);
    for (const charset of ['iso-8859-1', '"utf-16"', 'windows-1252; charset=utf-8', '']) {
      const { status, body } = await send('PATCH', `/v1/keys/${id}`, `application/json; charset=${charset}`);
      expect([status, body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    }
  });

  it('keeps one allowed source for entries that name the same one, with its comment and without spaces around it', async () => {
    const { id } = (await rest(running.url, token, 'POST', '/v1/keys', { teamId: team, name: 'x', env: 'live' })).body;
    const listed = async (allowedIps: string[]) =>
      (await rest(running.url, token, 'PATCH', `/v1/keys/${id}`, { allowedIps })).body.allowedIps;
    expect(await listed(['  10.0.0.1  ', ' 10.0.0.0/8  # the office  '])).toEqual([
      '10.0.0.1',
      '10.0.0.0/8  # the office',
    ]);
    expect(await listed(['10.0.0.1 # a', '10.0.0.1', '10.0.0.1/32', '::ffff:10.0.0.1', '::ffff:a00:1/128'])).toEqual([
      '10.0.0.1 # a',
    ]);
    expect(await listed(['10.0.0.1', '10.0.0.1 # first', '10.0.0.1 # second'])).toEqual(['10.0.0.1 # first']);
    expect(await listed(['2001:DB8:0::1', '2001:db8::1/128 # b', '2001:db8::/32', '2001:db8:0::/32'])).toEqual([
      '2001:db8::1/128 # b',
      '2001:db8::/32',
    ]);
    expect(await listed(['API.example.com', 'api.example.com. # c', 'other.example.com'])).toEqual([
      'api.example.com. # c',
      'other.example.com',
    ]);
    const { status, body } = await rest(running.url, token, 'PATCH', `/v1/keys/${id}`, {
      allowedIps: ['::1', 'localhost'],
    });
    expect([status, body.errors]).toEqual([
      400,
      [
        {
          field: 'allowedIps[1]',
          message:
            'must be a name that DNS servers know: /etc/hosts is not read, so write the addresses, such as 127.0.0.1 and ::1',
        },
      ],
    ]);
  });

  it('a key whose list has a name of /etc/hosts since before can be changed otherwise', async () => {
    const { id } = (await rest(running.url, token, 'POST', '/v1/keys', { teamId: team, name: 'x', env: 'live' })).body;
    const old = ['localhost', ' 10.0.0.1 ', '10.0.0.1'];
    const { database } = running;
    await runSql(database.url, `UPDATE "ApiKey" SET "allowedIps" = '${JSON.stringify(old)}' WHERE id = '${id}'`);
    const { status, body } = await rest(running.url, token, 'PATCH', `/v1/keys/${id}`, { name: 'Renamed' });
    expect([status, body.name, body.allowedIps]).toEqual([200, 'Renamed', old]);
  });

  it('audits the address that trusted proxies forward, and no other', async () => {
    const sourceWith = async (environment: NodeJS.ProcessEnv, forwarded = '6.6.6.6, 203.0.113.9') => {
      const proxied = await startService(theProvider, environment);
      const body = { teamId: team, name: 'x', env: 'live' };
      const { id } = (await rest(proxied.url, token, 'POST', '/v1/keys', body, { 'x-forwarded-for': forwarded })).body;
      const [entry] = await proxied.service.management.store.auditLog.list({ teamId: team, keyId: id, limit: 1 });
      await proxied.stop();
      return entry?.source;
    };
    expect(await sourceWith({})).toBe('127.0.0.1');
    expect(await sourceWith({ TRUST_PROXY: '1' })).toBe('203.0.113.9');
    expect(await sourceWith({ TRUST_PROXY: '1' }, '6.6.6.6, 203.0.113.9:51234')).toBe('203.0.113.9');
    expect(await sourceWith({ TRUST_PROXY: 'loopback' }, '6.6.6.6, [2001:db8::9]:443')).toBe('2001:db8::9');
    expect(await sourceWith({ TRUST_PROXY: '2' }, '203.0.113.9:51234, 10.0.0.1:443')).toBe('203.0.113.9');
    for (const text of ['unknown', '_hidden', `<b>${'x'.repeat(3000)}</b>`]) {
      expect(await sourceWith({ TRUST_PROXY: '1' }, text)).toBeNull();
    }
    // Of a longer list, the last 2,000 characters are read.
    const behind = (proxies: number) => `203.0.113.9${', 10.0.0.1'.repeat(proxies)}`;
    expect(await sourceWith({ TRUST_PROXY: 'loopback,10.0.0.0/8' }, behind(195))).toBe('203.0.113.9');
    expect(await sourceWith({ TRUST_PROXY: 'loopback,10.0.0.0/8' }, behind(1000))).toBe('10.0.0.1');
  });

  it('reports its health, and that it is ready while the store answers', async () => {
    expect((await rest(running.url, null, 'GET', '/healthz')).body).toEqual({ status: 'ok' });
    const ready = await rest(running.url, null, 'GET', '/readyz');
    expect([ready.status, ready.body]).toEqual([200, { status: 'ready' }]);
  });
});
