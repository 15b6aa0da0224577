// SECURITY.md: Who may do what; A session token
/** The operations on keys, through the resolvers, on both databases. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { digestSecret } from '../../src/domain/secret/secret-digest.ts';
import { revokeOwnKey } from '../../src/manage/change/key-state.ts';
import { theProvider } from '../support/databases.ts';
import { inTests } from '../support/in-tests.ts';
import { type Answer, both, graphql, sessionToken, startService } from '../support/service.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const keyFields = 'id teamId name env prefix state allowedIps expiresAt signingEnabled lastUsedAt createdAt revokedAt';
const create = `mutation ($input: CreateKeyInput!) { createKey(input: $input) { apiKey { ${keyFields} } secret } }`;
const update = `mutation ($id: UUID!, $input: UpdateKeyInput!) { updateKey(id: $id, input: $input) { apiKey { ${keyFields} } } }`;
const revoke = `mutation ($id: UUID!) { revokeKey(id: $id) { apiKey { ${keyFields} } } }`;
const enable = `mutation ($id: UUID!) { enableSigning(id: $id) { apiKey { signingEnabled } signingSecret } }`;
const rotate = `mutation ($id: UUID!) { rotateSigningSecret(id: $id) { apiKey { signingEnabled } signingSecret } }`;
const disable = `mutation ($id: UUID!) { disableSigning(id: $id) { apiKey { signingEnabled } } }`;
const read = `query ($id: UUID!) { key(id: $id) { ${keyFields} } }`;
const audit = `query ($teamId: UUID!, $keyId: UUID) {
  auditLog(teamId: $teamId, keyId: $keyId) {
    edges { node { id action keyId teamId actor actorKind source requestId at changes { field before after added removed } } }
  }
}`;

function codeOf(answer: Answer): unknown {
  return answer.body.errors?.[0]?.extensions?.code;
}

const running = inTests(() => startService(theProvider));
const team = randomUUID();
const token = sessionToken({ [team]: both });
const call = (query: string, variables: Readonly<Record<string, unknown>>, as = token) =>
  graphql(running.url, as, query, variables);
const createKey = async (input: Readonly<Record<string, unknown>> = {}) =>
  (await call(create, { input: { teamId: team, name: 'A key', env: 'live', ...input } })).body.data.createKey;
const row = (id: string) => running.service.management.store.keys.find(id);
const trail = async (keyId: string) =>
  (await call(audit, { teamId: team, keyId })).body.data.auditLog.edges.map(({ node }: { node: unknown }) => node);

describe('a key', () => {
  it('a create returns the key with its secret, which is stored only as a digest', async () => {
    const { apiKey, secret } = await createKey({
      name: '  Billing  ',
      env: 'test',
      expiresAt: '2999-01-01T00:00:00+01:00',
    });
    expect(apiKey).toEqual({
      id: expect.stringMatching(uuid),
      teamId: team,
      name: 'Billing',
      env: 'test',
      prefix: expect.stringMatching(/^lk_test_[0-9A-Za-z]{8}$/),
      state: 'ACTIVE',
      allowedIps: [],
      expiresAt: '2998-12-31T23:00:00.000Z',
      signingEnabled: false,
      lastUsedAt: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      revokedAt: null,
    });
    expect(secret.startsWith(`${apiKey.prefix}_`)).toBe(true);
    const stored = await row(apiKey.id);
    expect(stored?.digest).toBe(digestSecret(secret, running.service.management.peppers.current));
    expect(JSON.stringify({ ...stored, revision: null })).not.toContain(secret.slice(apiKey.prefix.length + 1));
  });

  it('a secret can be read neither from the key nor from a list nor from the audit trail', async () => {
    const { apiKey, secret } = await createKey();
    const signingSecret = (await call(enable, { id: apiKey.id })).body.data.enableSigning.signingSecret;
    const answers = JSON.stringify([
      (await call(read, { id: apiKey.id })).body,
      (await call(`query ($t: UUID!) { keys(teamId: $t) { nodes { ${keyFields} } } }`, { t: team })).body,
      await trail(apiKey.id),
    ]);
    const { digest, signingEnvelope } = (await row(apiKey.id)) ?? {};
    for (const hidden of [secret, signingSecret, digest, signingEnvelope]) {
      expect(hidden).toEqual(expect.any(String));
      expect(answers).not.toContain(hidden);
    }
    expect((await call('query ($id: UUID!) { key(id: $id) { secret } }', { id: apiKey.id })).status).toBe(400);
  });

  it('an update changes the given fields only, and null removes the expiry', async () => {
    const { apiKey } = await createKey({ expiresAt: '2999-01-01T00:00:00Z' });
    const sources = ['10.0.0.0/8 # office', 'Example.com', '2001:db8::/32'];
    const changed = (await call(update, { id: apiKey.id, input: { allowedIps: sources } })).body.data.updateKey.apiKey;
    expect(changed).toEqual({ ...apiKey, allowedIps: sources });
    const renamed = (await call(update, { id: apiKey.id, input: { name: ' New ', expiresAt: null } })).body.data
      .updateKey;
    expect(renamed.apiKey).toEqual({ ...changed, name: 'New', expiresAt: null });
    const lifted = (await call(update, { id: apiKey.id, input: { allowedIps: [] } })).body.data.updateKey.apiKey;
    expect(lifted.allowedIps).toEqual([]);
    expect((await call(read, { id: apiKey.id })).body.data.key).toEqual(lifted);
  });

  it('a variable with one value stands for a list of it, as a literal does', async () => {
    const tagged = `mutation ($input: CreateKeyInput!) { createKey(input: $input) { apiKey { id tags allowedIps revision } } }`;
    const input = { teamId: team, name: 'Lists', env: 'live', tags: 'one', allowedIps: '10.0.0.1', scopes: null };
    const { id, revision, ...lists } = (await call(tagged, { input })).body.data.createKey.apiKey;
    expect(lists).toEqual({ tags: ['one'], allowedIps: ['10.0.0.1'] });
    const change = `mutation ($team: UUID!, $keys: [KeyToChangeInput!]!) {
      changeKeys(teamId: $team, action: UPDATE, keys: $keys) { results { outcome apiKey { tags } } }
    }`;
    const keys = { id, ifRevision: revision, settings: { tags: 'two' } };
    const changed = (await call(change, { team, keys })).body.data.changeKeys.results;
    expect(changed).toEqual([{ outcome: 'CHANGED', apiKey: { tags: ['two'] } }]);
    const list = `query ($team: UUID!, $filter: KeyFilter, $state: [KeyState!]) {
      byVariable: keys(teamId: $team, filter: $filter) { nodes { id } }
      inObject: keys(teamId: $team, filter: { tags: ["two"], state: $state }) { nodes { id } }
    }`;
    const listed = await call(list, { team, filter: { tags: 'two', state: 'ACTIVE' }, state: 'ACTIVE' });
    expect(listed.body.data).toEqual({ byVariable: { nodes: [{ id }] }, inObject: { nodes: [{ id }] } });
    const wrong = await call(tagged, { input: { ...input, tags: 5 } });
    expect(wrong.body.errors[0].extensions.errors).toEqual([{ field: 'tags', message: 'must be a string' }]);
  });

  it('revoking is permanent and repeatable, and deletes the signing secret', async () => {
    const { apiKey } = await createKey();
    await call(enable, { id: apiKey.id });
    const first = (await call(revoke, { id: apiKey.id })).body.data.revokeKey.apiKey;
    expect(first).toMatchObject({ state: 'REVOKED', revokedAt: expect.any(String), signingEnabled: false });
    const again = (await call(revoke, { id: apiKey.id })).body.data.revokeKey.apiKey;
    expect(again).toEqual(first);
    expect((await row(apiKey.id))?.signingEnvelope).toBeNull();
    for (const change of [update, enable, rotate, disable]) {
      expect(codeOf(await call(change, { id: apiKey.id, input: { name: 'Back' } }))).toBe('KEY_REVOKED');
    }
    expect((await trail(apiKey.id)).map(({ action }: { action: string }) => action)).toEqual([
      'KEY_REVOKED',
      'SIGNING_ENABLED',
      'KEY_CREATED',
    ]);
  });

  it('a signing secret is issued when signing is enabled and when it is rotated, each time another', async () => {
    const { apiKey } = await createKey();
    const { id } = apiKey;
    const first = (await call(enable, { id })).body.data.enableSigning;
    expect(first).toEqual({ apiKey: { signingEnabled: true }, signingSecret: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const second = (await call(rotate, { id })).body.data.rotateSigningSecret;
    expect(second.signingSecret).toMatch(/^[0-9a-f]{64}$/);
    expect(second.signingSecret).not.toBe(first.signingSecret);
    for (const _ of [1, 2]) {
      expect((await call(disable, { id })).body.data.disableSigning.apiKey).toEqual({ signingEnabled: false });
    }
    expect(codeOf(await call(rotate, { id }))).toBe('SIGNING_NOT_ENABLED');
    const third = (await call(enable, { id })).body.data.enableSigning;
    expect([first.signingSecret, second.signingSecret]).not.toContain(third.signingSecret);
  });

  it('of two concurrent calls that enable signing, one gets a secret and the other a conflict', async () => {
    const { apiKey } = await createKey();
    const answers = await Promise.all([1, 2].map(() => call(enable, { id: apiKey.id })));
    expect(answers.map(codeOf).sort()).toEqual(['SIGNING_ALREADY_ENABLED', undefined]);
  });
});

describe('the audit trail', () => {
  it('every change is audited with who, what, from where, in which request, and the fields before and after', async () => {
    const { apiKey } = await createKey({ name: 'Before' });
    const changed = await call(update, { id: apiKey.id, input: { name: 'After', allowedIps: ['::1'] } });
    const [entry, created] = await trail(apiKey.id);
    expect(entry).toEqual({
      id: expect.stringMatching(/^[\w-]{22}$/),
      action: 'KEY_UPDATED',
      keyId: apiKey.id,
      teamId: team,
      actor: 'tester',
      actorKind: 'SESSION',
      source: '127.0.0.1',
      requestId: changed.headers.get('x-request-id'),
      at: expect.stringMatching(/\.\d{3}Z$/),
      changes: [
        { field: 'name', before: 'Before', after: 'After', added: null, removed: null },
        { field: 'allowedIps', before: null, after: null, added: ['::1'], removed: [] },
      ],
    });
    expect(created).toMatchObject({ action: 'KEY_CREATED' });
  });

  it('a session token whose subject looks like a key holder or an operator is audited as a session', async () => {
    const { apiKey } = await createKey();
    const imitations = [`key:${apiKey.id}`, 'operator', 'OPERATOR', 'KEY_HOLDER'];
    for (const [i, subject] of imitations.entries()) {
      const input = { name: `Name ${i}` };
      await call(update, { id: apiKey.id, input }, sessionToken({ [team]: both }, subject));
    }
    const holder = { source: null, requestId: 'request', now: new Date() };
    await revokeOwnKey(running.service.management, apiKey.id, holder);
    const [revoked, ...changes] = await trail(apiKey.id);
    expect(revoked).toMatchObject({ actor: `key:${apiKey.id}`, actorKind: 'KEY_HOLDER' });
    expect(changes.slice(0, -1).reverse()).toMatchObject(imitations.map((actor) => ({ actor, actorKind: 'SESSION' })));
  });
});

it('the limit of keys is exact with any number of concurrent creates, and does not count revoked keys', async () => {
  const running = await startService(theProvider, { MAX_KEYS_PER_TEAM: '7' });
  const [team, otherTeam] = [randomUUID(), randomUUID()];
  const token = sessionToken({ [team]: both, [otherTeam]: both });
  const createIn = (teamId: string) =>
    graphql(running.url, token, create, { input: { teamId, name: 'One of many', env: 'live' } });
  const answers = await Promise.all(Array.from({ length: 30 }, () => createIn(team)));
  const created = answers.filter((answer) => codeOf(answer) === undefined);
  expect(created).toHaveLength(7);
  expect(answers.filter((answer) => codeOf(answer) === 'KEY_LIMIT_REACHED')).toHaveLength(23);
  expect(codeOf(await createIn(otherTeam))).toBeUndefined();
  await graphql(running.url, token, revoke, { id: created[0]?.body.data.createKey.apiKey.id });
  expect(codeOf(await createIn(team))).toBeUndefined();
  expect(codeOf(await createIn(team))).toBe('KEY_LIMIT_REACHED');
  await running.stop();
});
