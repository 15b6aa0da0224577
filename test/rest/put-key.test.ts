/** Keys that are declared by an external id. */
import { hash, randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { mintSecret } from '../../src/domain/secret/secret.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import { putKey } from '../../src/manage/change/put-key.ts';
import { theProvider } from '../support/databases.ts';
import { startGateway, startGatewayOn } from '../support/gateway.ts';
import { inTests } from '../support/in-tests.ts';
import { both, callerOf, graphql, importing, rest, sessionToken } from '../support/service.ts';

const gateway = inTests(() => startGateway(theProvider));
const team = randomUUID();
const token = sessionToken({ [team]: importing }, 'ada');
const call = (method: string, id: string, body?: unknown, headers?: Record<string, string>, as = token) =>
  rest(gateway.running.url, as, method, `/v1/keys/${team}/live/${id}`, body, headers);
const put = (id: string, body: object = {}, headers?: Record<string, string>) =>
  call('PUT', id, { name: 'Shop', ...body }, headers);
const verdictOf = async (key: string, sourceIp = '203.0.113.9') =>
  (await rest(gateway.url, null, 'POST', '/v1/verify', { key, sourceIp })).body.code;
/** A secret as `latchkey keys new-secret` makes it. */
const made = (tag = 'lk', env: 'live' | 'test' = 'live') => {
  const { secret, prefix } = mintSecret(tag, `${env}_c`, randomBytes);
  return { secret, prefix, digest: `sha256:${hash('sha256', secret)}` };
};

describe('a key that is put', () => {
  it('is created once with its secret, and then changed to exactly the settings that are sent', async () => {
    const created = await put('shop-1', { scopes: ['orders:read'], description: 'First', tags: ['a'] });
    expect([created.status, created.body.secret]).toEqual([201, expect.stringMatching(/^lk_live_/)]);
    expect(created.body).toMatchObject({
      externalId: 'shop-1',
      env: 'live',
      responsible: 'ada',
      scopes: ['orders:read'],
    });
    const again = await put('shop-1', { scopes: ['orders:read'], description: 'First', tags: ['a'] });
    expect([again.status, again.body.secret, again.headers.get('etag')]).toEqual([
      200,
      undefined,
      created.headers.get('etag'),
    ]);
    const changed = await put('shop-1', { description: null });
    expect(changed.body).toMatchObject({
      id: created.body.id,
      description: null,
      scopes: [],
      tags: [],
      responsible: 'ada',
    });
    expect(changed.headers.get('etag')).not.toBe(created.headers.get('etag'));
    const { secret: _, ...answered } = created.body;
    expect((await call('GET', 'shop-1')).body).toEqual({ ...answered, ...changed.body });
    expect(await verdictOf(created.body.secret)).toBe('VALID');
  });

  it('is one, also when two calls create it at once', async () => {
    const statuses = await Promise.all([1, 2, 3, 4].map(async () => (await put('at-once')).status));
    expect(statuses.toSorted()).toEqual([200, 200, 200, 201]);
  });

  it('is changed only from the state that If-Match names', async () => {
    const created = await put('conditional');
    const tag = created.headers.get('etag') ?? '';
    expect((await put('conditional', { name: 'Other' }, { 'if-match': tag })).status).toBe(200);
    expect((await put('conditional', { name: 'Third' }, { 'if-match': tag })).status).toBe(412);
    expect((await put('not-yet', {}, { 'if-match': tag })).status).toBe(412);
  });

  it('is only created with If-None-Match: *, and only changed with If-Match: *', async () => {
    const onlyCreated = { 'if-none-match': '*' };
    const raced = await Promise.all([1, 2, 3].map(() => put('only-created', {}, onlyCreated)));
    expect(raced.map(({ status }) => status).toSorted()).toEqual([201, 412, 412]);
    const again = await put('only-created', {}, onlyCreated);
    expect([again.status, again.body.code]).toEqual([412, 'PRECONDITION_FAILED']);
    const onlyChanged = { 'if-match': '*' };
    expect((await put('only-created', { name: 'Other' }, onlyChanged)).status).toBe(200);
    expect((await put('only-changed', {}, onlyChanged)).status).toBe(412);
    expect((await call('GET', 'only-changed')).status).toBe(404);
  });

  it('is not put with an If-None-Match that has another meaning', async () => {
    const rejectedWith = async (headers: Record<string, string>, method = 'PUT') => {
      const { status, body } = await call(method, 'misread', method === 'PUT' ? { name: 'A' } : undefined, headers);
      return [status, ...body.errors.map(({ message }: { message: string }) => message)];
    };
    const onlyStar = [400, 'must be *: then the call only creates a key'];
    for (const value of ['"a"', '*, *', '']) expect(await rejectedWith({ 'if-none-match': value })).toEqual(onlyStar);
    const both = { 'if-none-match': '*', 'if-match': '*' };
    expect(await rejectedWith(both)).toEqual([400, 'must not be sent with If-Match']);
    expect(await rejectedWith({ 'if-none-match': '*' }, 'DELETE')).toEqual([400, 'is for putting a key only']);
    expect((await call('GET', 'misread', undefined, { 'if-none-match': '*' })).body.code).toBe('KEY_NOT_FOUND');
  });

  it('is revoked by its external id, after which the next call makes a new one', async () => {
    const first = (await put('again')).body;
    expect((await call('DELETE', 'again')).body).toEqual({ ok: true });
    expect(await verdictOf(first.secret)).toBe('REVOKED');
    expect((await call('GET', 'again')).body.code).toBe('KEY_NOT_FOUND');
    expect((await call('DELETE', 'again')).body.code).toBe('KEY_NOT_FOUND');
    const second = await put('again');
    expect([second.status, second.body.id === first.id]).toEqual([201, false]);
  });

  it('is not chosen among several with its external id', async () => {
    const ids = [];
    for (const name of ['One', 'Two']) {
      const body = { teamId: team, name, env: 'live', externalId: 'several' };
      ids.push((await rest(gateway.running.url, token, 'POST', '/v1/keys', body)).body.id);
    }
    const { status, body } = await put('several');
    expect([status, body.code, body.keyIds.toSorted()]).toEqual([409, 'EXTERNAL_ID_AMBIGUOUS', ids.toSorted()]);
    expect((await call('GET', 'several')).status).toBe(409);
    expect((await call('DELETE', 'several')).status).toBe(409);
  });

  it('is not looked for among all keys with its external id, of which at most 10 are named', async () => {
    const { management, caller } = gateway;
    for (let i = 0; i < 12; i += 1) {
      const input = { teamId: gateway.teamId, name: 'One of many', env: 'live' as const, externalId: 'many' };
      await createKey(management, caller(), input);
    }
    const as = sessionToken({ [gateway.teamId]: both });
    for (const method of ['PUT', 'GET', 'DELETE']) {
      const body = method === 'PUT' ? { name: 'Shop' } : undefined;
      const answer = await rest(gateway.running.url, as, method, `/v1/keys/${gateway.teamId}/live/many`, body);
      expect([answer.body.code, answer.body.keyIds.length]).toEqual(['EXTERNAL_ID_AMBIGUOUS', 10]);
      expect(answer.body.detail).toContain('10 or more keys have this external id.');
    }
  });

  it('can have any external id as a parameter, and plain ones in the path', async () => {
    const path = `/v1/keys/${team}/live?externalId=${encodeURIComponent('Müller & Söhne / 7')}`;
    expect((await rest(gateway.running.url, token, 'PUT', path, { name: 'Shop' })).status).toBe(201);
    expect((await rest(gateway.running.url, token, 'GET', path)).body.externalId).toBe('Müller & Söhne / 7');
    for (const id of ['a%2Fb', '%2e%2e%2fx', 'a%20b', 'x'.repeat(129)]) {
      expect([id, (await put(id)).status]).toEqual([id, 400]);
    }
  });

  it('is found in every spelling of its external id, also one from before they were normalized', async () => {
    const { id } = (await put('plain')).body;
    const { store } = gateway.running.service.management;
    await store.changes.housekeep(
      async (transaction) => {
        await transaction.apiKey.update({ where: { id }, data: { externalId: 'cafe\u0301' } });
      },
      { holder: team },
    );
    const spelling = `?externalId=${encodeURIComponent('caf\u00e9')}`;
    const named = (method: string, body?: object) =>
      rest(gateway.running.url, token, method, `/v1/keys/${team}/live${spelling}`, body);
    expect((await named('PUT', { name: 'Shop' })).body.id).toBe(id);
    expect((await named('DELETE')).body).toEqual({ ok: true });
  });

  it('can be neither renamed by its body nor put into another environment', async () => {
    const { status, body } = await put('shop-2', { externalId: 'other', env: 'test', teamId: team });
    expect([status, body.errors.map(({ field }: { field: string }) => field)]).toEqual([
      400,
      ['teamId', 'env', 'externalId'],
    ]);
    expect((await rest(gateway.running.url, token, 'PUT', `/v1/keys/${team}/prod/a`, { name: 'A' })).status).toBe(404);
  });

  it('needs manage_keys to be put and revoked, and view_team to be read', async () => {
    const viewer = sessionToken({ [team]: ['view_team'] });
    const keeper = sessionToken({ [team]: ['manage_keys'] });
    await put('guarded');
    expect((await call('PUT', 'guarded', { name: 'A' }, {}, viewer)).status).toBe(403);
    expect((await call('DELETE', 'guarded', undefined, {}, viewer)).status).toBe(403);
    expect((await call('GET', 'guarded', undefined, {}, keeper)).status).toBe(403);
    const stranger = sessionToken({ [randomUUID()]: both });
    expect((await call('GET', 'guarded', undefined, {}, stranger)).status).toBe(403);
  });
});

describe('the keys of a team with all settings', () => {
  it('are read by environment, external id, tag and state, each as it is read alone', async () => {
    await put('drift-1', { tags: ['drift', 'a'], scopes: ['orders:read'], metadata: { plan: 'pro' } });
    await put('drift-2', { tags: ['drift', 'b'] });
    await rest(gateway.running.url, token, 'PUT', `/v1/keys/${team}/test/drift-1`, { name: 'Shop', tags: ['drift'] });
    await call('DELETE', 'drift-2');
    const list = async (query: string) =>
      (await rest(gateway.running.url, token, 'GET', `/v1/teams/${team}/keys?tag=drift&${query}`)).body;
    const named = (keys: { externalId: string; env: string }[]) =>
      keys.map(({ externalId, env }) => `${env} ${externalId}`).toSorted();
    expect(await list('env=live')).toEqual([(await call('GET', 'drift-1')).body]);
    expect(named(await list('externalId=drift-1'))).toEqual(['live drift-1', 'test drift-1']);
    expect(named(await list('state=REVOKED'))).toEqual(['live drift-2']);
    expect(named(await list('tag=a'))).toEqual(['live drift-1']);
    expect((await list('env=prod')).errors.map(({ field }: { field: string }) => field)).toEqual(['env']);
  });

  it('are read page by page, while the list of before has the fields and the filters that it had', async () => {
    const path = `/v1/teams/${team}/keys?tag=page&limit=1`;
    for (const id of ['page-1', 'page-2']) await put(id, { tags: ['page'] });
    const first = await rest(gateway.running.url, token, 'GET', path);
    const next = /^<(.+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    const second = await rest(gateway.running.url, token, 'GET', next);
    expect([...first.body, ...second.body].map(({ externalId }) => externalId)).toEqual(['page-2', 'page-1']);
    const before = await rest(gateway.running.url, token, 'GET', `/v1/keys?teamId=${team}&tag=page&env=live`);
    const fields = ['id', 'name', 'env', 'prefix', 'lastUsedAt', 'createdAt'];
    expect(before.body.map(Object.keys)).toEqual([fields, fields]);
  });

  it('are at most 100 in a call, and need view_team', async () => {
    const path = `/v1/teams/${team}/keys?limit=100`;
    expect((await rest(gateway.running.url, token, 'GET', path)).status).toBe(200);
    const { status, body } = await rest(gateway.running.url, token, 'GET', path.replace('100', '101'));
    expect([status, body.errors]).toEqual([400, [{ field: 'limit', message: 'must be a whole number from 1 to 100' }]]);
    const keeper = sessionToken({ [team]: ['manage_keys'] });
    const stranger = sessionToken({ [randomUUID()]: both });
    for (const as of [keeper, stranger]) {
      expect((await rest(gateway.running.url, as, 'GET', path)).status).toBe(403);
    }
  });
});

describe('a key whose secret the client made', () => {
  it('is accepted, and no answer has a secret', async () => {
    const { secret, prefix, digest } = made();
    const created = await put('client', { digest, prefix });
    expect([created.status, created.body.secret, created.body.prefix]).toEqual([201, undefined, prefix]);
    expect(await verdictOf(secret)).toBe('VALID');
    expect((await put('client', { digest, prefix })).headers.get('etag')).toBe(created.headers.get('etag'));
  });

  it('is rotated by another digest, with an overlap', async () => {
    const [first, second, third] = [made(), made(), made()];
    await put('rotated', { digest: first.digest });
    await put('rotated', { digest: second.digest, overlapSeconds: 3600 });
    expect([await verdictOf(first.secret), await verdictOf(second.secret)]).toEqual(['VALID', 'VALID']);
    await put('rotated', { digest: third.digest });
    const codes = await Promise.all([first, second, third].map(({ secret }) => verdictOf(secret)));
    expect(codes).toEqual(['ROTATED', 'ROTATED', 'VALID']);
    expect((await put('rotated', { digest: first.digest })).body.code).toBe('DIGEST_IN_USE');
  });

  it('has a secret that no key of any team has or had', async () => {
    const { digest } = made();
    await put('owner', { digest });
    expect((await put('thief', { digest })).body.code).toBe('DIGEST_IN_USE');
    await call('DELETE', 'owner');
    expect((await put('owner', { digest })).body.code).toBe('DIGEST_IN_USE');
    const other = randomUUID();
    const stranger = sessionToken({ [other]: importing });
    const elsewhere = `/v1/keys/${other}/test/thief`;
    const stolen = await rest(gateway.running.url, stranger, 'PUT', elsewhere, { name: 'A', digest });
    expect(stolen.body.code).toBe('DIGEST_IN_USE');
  });

  it('is not found by a secret of another tag, another environment or the usual form', async () => {
    for (const one of [made('acme'), made('lk', 'test')]) {
      await put(`form-${one.prefix}`, { digest: one.digest });
      expect([one.prefix, await verdictOf(one.secret)]).toEqual([one.prefix, 'NOT_FOUND']);
    }
    const usual = mintSecret('lk', 'live', randomBytes).secret;
    await put('usual', { digest: hash('sha256', usual) });
    expect(await verdictOf(usual)).toBe('NOT_FOUND');
  });

  it('is rejected with a typo before any look-up', async () => {
    const { secret, digest } = made();
    await put('typo', { digest });
    expect(await verdictOf(secret.slice(0, -1) + (secret.endsWith('0') ? '1' : '0'))).toBe('MALFORMED');
  });

  it('is of one key, also when several are put with it at once, and one rotation wins of two from one state', async () => {
    const { digest } = made();
    const taken = await Promise.all(['first', 'second', 'third'].map(async (id) => (await put(id, { digest })).status));
    expect(taken.toSorted()).toEqual([201, 409, 409]);
    const [one, other] = [made(), made()];
    const tag = (await put('raced')).headers.get('etag') ?? '';
    const rotate = ({ digest }: typeof one) => put('raced', { digest, overlapSeconds: 60 }, { 'if-match': tag });
    const raced = await Promise.all([rotate(one), rotate(other)]);
    expect(raced.map(({ status }) => status).toSorted()).toEqual([200, 412]);
    const codes = await Promise.all([one, other].map(({ secret }) => verdictOf(secret)));
    expect(codes.toSorted()).toEqual(['NOT_FOUND', 'VALID']);
  });

  it('stays the key of its team if another team imports or puts the digest that it read in a state file', async () => {
    const { secret, digest } = made();
    const { id } = (await put('declared', { digest })).body;
    const other = randomUUID();
    const thief = sessionToken({ [other]: importing });
    const variables = { teamId: other, keys: [{ digest, name: 'Thief', env: 'live' }] };
    const mutation = `mutation ($teamId: UUID!, $keys: [ImportKeyInput!]!) {
      importKeys(teamId: $teamId, keys: $keys) { results { outcome } }
    }`;
    await graphql(gateway.running.url, thief, mutation, variables);
    const verdict = await rest(gateway.url, null, 'POST', '/v1/verify', { key: secret, sourceIp: '203.0.113.9' });
    expect(verdict.body).toMatchObject({ code: 'VALID', keyId: id, teamId: team });
    await call('DELETE', 'declared');
    expect(await verdictOf(secret)).toBe('REVOKED');
    // Nor is it taken back by a key that imported the digest first.
    const imported = made();
    const first = { teamId: other, keys: [{ digest: imported.digest, name: 'First', env: 'live' }] };
    await graphql(gateway.running.url, thief, mutation, first);
    expect((await put('late', { digest: imported.digest })).body.code).toBe('DIGEST_IN_USE');
    expect(await verdictOf(imported.secret)).toBe('NOT_FOUND');
  });

  it.each([true, false])(
    'goes to the first of two teams in a transaction, if that one rotates to it: %s',
    async (rotates) => {
      const { management } = gateway.running.service;
      const { changes } = management.store;
      const [other, externalId] = [randomUUID(), randomUUID()];
      await createKey(management, callerOf({ [team]: importing }), {
        teamId: team,
        env: 'live',
        externalId,
        name: 'Shop',
      });
      const submit = changes.submit.bind(changes);
      const held: (() => void)[] = [];
      // Both are submitted in one turn of the event loop, so that they share a transaction.
      const holding = vi.spyOn(changes, 'submit').mockImplementation(async (change) => {
        // What the service does by itself meanwhile is not held.
        if (change.queueKey !== team && change.queueKey !== other) return await submit(change);
        await new Promise<void>((release) => held.push(release));
        return await submit(change);
      });
      onTestFinished(() => void holding.mockRestore());
      const { digest } = made();
      const putAs = (teamId: string) =>
        putKey(management, callerOf({ [teamId]: importing }), {
          teamId,
          env: 'live',
          externalId,
          name: 'Shop',
          digest,
        });
      const answers: Promise<unknown>[] = [];
      for (const teamId of rotates ? [team, other] : [other, team]) {
        answers.push(putAs(teamId));
        await expect.poll(() => held.length).toBe(answers.length);
      }
      for (const release of held) release();
      const [first, second] = await Promise.allSettled(answers);
      expect([first, second]).toMatchObject([
        { status: 'fulfilled', value: { created: !rotates } },
        { status: 'rejected', reason: { code: 'DIGEST_IN_USE' } },
      ]);
    },
  );

  it('tells nothing about digests of others to a call that changes nothing, and blocks no import', async () => {
    const other = randomUUID();
    const stranger = sessionToken({ [other]: importing });
    const taken = made();
    await put('holder', { digest: taken.digest });
    const path = `/v1/keys/${other}/live/prober`;
    await rest(gateway.running.url, stranger, 'PUT', path, { name: 'A' });
    const probe = (digest: string) =>
      rest(gateway.running.url, stranger, 'PUT', path, { name: 'A', digest }, { 'if-match': '"other"' });
    expect((await probe(taken.digest)).body.code).toBe('PRECONDITION_FAILED');
    expect((await probe(made().digest)).body.code).toBe('PRECONDITION_FAILED');
    const legacy = hash('sha256', `sk_${randomUUID()}`);
    expect((await rest(gateway.running.url, stranger, 'PUT', path, { name: 'A', digest: legacy })).status).toBe(200);
    const imported = await graphql(
      gateway.running.url,
      token,
      `mutation ($teamId: UUID!, $keys: [ImportKeyInput!]!) {
        importKeys(teamId: $teamId, keys: $keys) { results { outcome } }
      }`,
      { teamId: team, keys: [{ digest: legacy, name: 'Legacy', env: 'live' }] },
    );
    expect(imported.body.data.importKeys.results).toEqual([{ outcome: 'IMPORTED' }]);
  });

  it('must be named by SHA-256 and by its own prefix, and can not be rotated into a disabled key with an overlap', async () => {
    const { digest, prefix } = made();
    const fields = async (body: object) =>
      (await put('invalid', body)).body.errors?.map(({ field }: { field: string }) => field);
    expect(await fields({ digest: hash('sha512', 'x') })).toEqual(['digest']);
    expect(await fields({ digest: 'sha256:x', overlapSeconds: -1 })).toEqual(['digest', 'overlapSeconds']);
    expect(await fields({ prefix })).toEqual(['prefix']);
    for (const wrong of ['lk_live_4fJx81Qz', 'lk_test_c_4fJx81Qz', 'lk_live_c_4fJx81Q', `${prefix}0`]) {
      expect([wrong, await fields({ digest, prefix: wrong })]).toEqual([wrong, ['prefix']]);
    }
    const { id } = (await put('disabled', { digest })).body;
    await rest(gateway.running.url, token, 'POST', `/v1/keys/${id}/disable`);
    const overlapping = await put('disabled', { digest: made().digest, overlapSeconds: 60 });
    expect([overlapping.status, overlapping.body.code]).toEqual([409, 'KEY_DISABLED']);
    expect((await put('disabled', { digest: made().digest })).status).toBe(200);
  });

  it('keeps its digest to itself under an older pepper too, and a call that repeats it still changes nothing', async () => {
    const pepper = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
    const [old, current] = [pepper('old'), pepper('current')];
    const before = await startGateway(theProvider, { KEY_PEPPERS: old });
    onTestFinished(() => before.stop());
    const after = await startGatewayOn(before.running.database, { KEY_PEPPERS: `${current},${old}` });
    onTestFinished(() => after.stop());
    const { secret, digest } = made();
    const as = sessionToken({ [before.teamId]: both });
    const at = ({ running }: typeof before, id: string) =>
      rest(running.url, as, 'PUT', `/v1/keys/${before.teamId}/live/${id}`, { name: 'Shop', digest });
    const created = await at(before, 'shop');
    expect((await at(after, 'thief')).body.code).toBe('DIGEST_IN_USE');
    const repeated = await at(after, 'shop');
    expect([repeated.status, repeated.headers.get('etag')]).toEqual([200, created.headers.get('etag')]);
    const verdict = await rest(after.url, null, 'POST', '/v1/verify', { key: secret, sourceIp: '203.0.113.9' });
    expect(verdict.body.code).toBe('VALID');
  });

  it.each(['created', 'rotated'])('is looked up by older edges too, once it was %s', async (how) => {
    const own = await startGateway(theProvider);
    onTestFinished(() => own.stop());
    const answer = async () => {
      const body = JSON.stringify({ edge: randomUUID(), cursor: null, keys: [] });
      const headers = { 'content-type': 'application/json' };
      return (await fetch(`${own.url}/v1/feed`, { method: 'POST', headers, body })).json();
    };
    const path = `/v1/keys/${own.teamId}/live/shop`;
    const as = sessionToken({ [own.teamId]: both });
    if (how === 'rotated') await rest(own.running.url, as, 'PUT', path, { name: 'Shop' });
    expect(await answer()).toMatchObject({ imports: false });
    expect((await rest(own.running.url, as, 'PUT', path, { name: 'Shop', digest: made().digest })).status).toBeLessThan(
      300,
    );
    expect(await answer()).toMatchObject({ imports: true });
  });
});
