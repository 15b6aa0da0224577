/** What a team demands of its keys. */
import { hash, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Permission } from '../../src/domain/key/permission.ts';
import { limits } from '../../src/domain/limits.ts';
import { setKeyPolicy } from '../../src/manage/policy/set-key-policy.ts';
import { theProvider } from '../support/databases.ts';
import { startGateway } from '../support/gateway.ts';
import { inTests } from '../support/in-tests.ts';
import { both, callerOf, graphql, importing, rest, sessionToken } from '../support/service.ts';

const gateway = inTests(() => startGateway(theProvider));
const permissions: readonly Permission[] = [...importing, 'manage_policy'];
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

/** A team of its own, with a token that may set its policy. */
function aTeam() {
  const team = randomUUID();
  const token = sessionToken({ [team]: permissions }, 'ada');
  const call = (method: string, path: string, body?: object, as = token) =>
    rest(gateway.running.url, as, method, path, body);
  return {
    team,
    token,
    call,
    set: (policy: object, as = token, env = 'live') => call('PUT', `/v1/policies/${team}/${env}`, policy, as),
    policy: (as = token, env = 'live') => call('GET', `/v1/policies/${team}/${env}`, undefined, as),
    create: (fields: object = {}) => call('POST', '/v1/keys', { teamId: team, name: 'Shop', env: 'live', ...fields }),
    verdictOf: async (key: string) => (await rest(gateway.url, null, 'POST', '/v1/verify', { key })).body.code,
    ask: async (query: string, variables: object = {}) =>
      (await graphql(gateway.running.url, token, query, { team, ...variables })).body,
  };
}

interface ImportResult {
  readonly outcome: string;
  readonly apiKey: { readonly name: string } | null;
  readonly policyViolations: readonly object[];
}

const nothing = {
  maxLifetimeSeconds: null,
  requireExpiry: false,
  requireAllowedIps: false,
  requireSigning: false,
  maxSecretAgeSeconds: null,
  scopes: null,
  maxRateLimit: null,
};
const noDefaults = { lifetimeSeconds: null, allowedIps: [], scopes: [], rateLimit: null };

describe('a policy', () => {
  it('is one for each environment, demands nothing at first, and is set as a whole', async () => {
    const { team, set, policy, ask } = aTeam();
    const unset = {
      ...{ teamId: team, env: 'live', ...nothing, effective: nothing },
      ...{ defaults: noDefaults, enforceAfter: null, changedAt: null },
    };
    expect((await policy()).body).toEqual(unset);
    const rules = {
      ...nothing,
      maxLifetimeSeconds: 86_400,
      scopes: [{ name: 'orders:read', description: 'Read orders' }],
      maxRateLimit: { limit: 10, windowSeconds: 60 },
    };
    const shown = { ...unset, ...rules, effective: rules, changedAt: expect.any(String) };
    const enforceAfter = inDays(30);
    expect((await set({ ...rules, enforceAfter })).body).toEqual({ ...shown, enforceAfter });
    expect((await policy()).body).toEqual({ ...shown, enforceAfter });
    expect((await set({ requireExpiry: true })).body).toEqual({
      ...unset,
      requireExpiry: true,
      effective: { ...nothing, requireExpiry: true },
      changedAt: expect.any(String),
    });
    const { data } = await ask('query ($team: UUID!) { keyPolicies(teamId: $team) { env requireExpiry } }');
    expect(data.keyPolicies).toEqual([
      { env: 'live', requireExpiry: true },
      { env: 'test', requireExpiry: false },
    ]);
  });

  it('is set with manage_policy only, read with view_team, and no other team learns of it', async () => {
    const { team, set, policy } = aTeam();
    const without = sessionToken({ [team]: both });
    const foreign = sessionToken({ [randomUUID()]: permissions });
    expect((await set({ requireExpiry: true }, without)).body.code).toBe('FORBIDDEN');
    expect((await set({ requireExpiry: true }, foreign)).body.code).toBe('FORBIDDEN');
    expect((await policy(without)).status).toBe(200);
    expect((await policy(foreign)).body.code).toBe('FORBIDDEN');
  });

  it('is rejected with the names of all rules that are malformed', async () => {
    const { set, policy } = aTeam();
    const { body } = await set({
      maxLifetimeSeconds: limits.minPolicySeconds - 1,
      maxSecretAgeSeconds: limits.maxPolicySeconds + 1,
      scopes: [{ name: 'two words' }, { name: 'a' }, { name: 'a' }],
      maxRateLimit: { limit: 0, windowSeconds: 60 },
      enforceAfter: inDays(-1),
    });
    expect([body.code, body.errors.map(({ field }: { field: string }) => field)]).toEqual([
      'BAD_USER_INPUT',
      expect.arrayContaining([
        'maxLifetimeSeconds',
        'maxSecretAgeSeconds',
        'scopes[0].name',
        'scopes[2]',
        'maxRateLimit.limit',
        'enforceAfter',
      ]),
    ]);
    const many = Array.from({ length: 101 }, (_, i) => ({ name: `scope-${i}` }));
    expect((await set({ scopes: many })).body.code).toBe('BAD_USER_INPUT');
    expect((await set({ surprise: true })).body.code).toBe('BAD_USER_INPUT');
    expect((await policy(undefined, 'staging')).status).toBe(404);
    expect((await policy()).body).toMatchObject(nothing);
  });

  it('is in the audit trail each time it changes, and only then', async () => {
    const { set, ask } = aTeam();
    const scopes = [{ name: 'a', description: 'One' }, { name: 'b' }];
    for (const policy of [{ requireExpiry: true, scopes }, { scopes, requireExpiry: true }, {}]) await set(policy);
    const { data } = await ask(`query ($team: UUID!) { auditLog(teamId: $team) {
      nodes { action actor details changes { field before after added removed } } } }`);
    const entry = { action: 'POLICY_CHANGED', actor: 'ada', details: { env: 'live' } };
    const change = { added: null, removed: null };
    expect(data.auditLog.nodes).toEqual([
      {
        ...entry,
        changes: [
          { ...change, field: 'requireExpiry', before: true, after: false },
          { ...change, field: 'scopes', before: ['a: One', 'b'], after: null },
        ],
      },
      {
        ...entry,
        changes: [
          { ...change, field: 'requireExpiry', before: false, after: true },
          { ...change, field: 'scopes', before: null, after: ['a: One', 'b'] },
        ],
      },
    ]);
  });
});

describe('a policy that was tightened', () => {
  it('lets a key that is declared be renamed and rotated, and rejects only what violates it anew', async () => {
    const { team, call, set } = aTeam();
    const put = (fields: object) => call('PUT', `/v1/keys/${team}/live/declared`, { name: 'Shop', ...fields });
    expect((await put({})).status).toBe(201);
    await set({ requireAllowedIps: true, requireSigning: true, scopes: [{ name: 'orders:read' }] });
    expect((await put({ name: 'Renamed' })).status).toBe(200);
    expect((await put({ name: 'Renamed', digest: hash('sha256', randomUUID()) })).status).toBe(200);
    expect((await put({ name: 'Renamed', scopes: ['orders:write'] })).body.code).toBe('POLICY_VIOLATED');
  });

  it('needs a later enforceAfter once it is enforced, so that teams are told before keys are disabled', async () => {
    const { team, set } = aTeam();
    const { management } = gateway.running.service;
    const enforceAfter = inDays(1);
    expect((await set({ requireExpiry: true, enforceAfter })).status).toBe(200);
    const dayAfter = { ...callerOf({ [team]: permissions }), now: new Date(Date.now() + 2 * 86_400_000) };
    const policy = { ...{ teamId: team, env: 'live' as const }, enforceAfter: new Date(enforceAfter) };
    const stricter = setKeyPolicy(management, dayAfter, { ...policy, requireExpiry: true, requireSigning: true });
    await expect(stricter).rejects.toMatchObject({ code: 'BAD_USER_INPUT', fields: [{ field: 'enforceAfter' }] });
    expect(await setKeyPolicy(management, dayAfter, policy)).toMatchObject({ requireExpiry: false });
  });
});

it('a policy that is enforced can be changed with the same enforceAfter if no rule becomes stricter', async () => {
  const { team } = aTeam();
  const { management } = gateway.running.service;
  const caller = (days: number) => ({
    ...callerOf({ [team]: permissions }),
    now: new Date(Date.now() + days * 86_400_000),
  });
  const policy = { teamId: team, env: 'live' as const, enforceAfter: new Date(inDays(1)) };
  const rules = {
    scopes: [{ name: 'a', description: 'one' }, { name: 'b' }],
    maxRateLimit: { limit: 60, windowSeconds: 60 },
  };
  await setKeyPolicy(management, caller(0), { ...policy, ...rules });
  const change = (changed: object) => setKeyPolicy(management, caller(2), { ...policy, ...rules, ...changed });
  expect(await change({ scopes: [{ name: 'b' }, { name: 'a', description: 'two' }] })).toMatchObject({
    scopes: [{ name: 'b' }, { name: 'a', description: 'two' }],
  });
  await change({ maxRateLimit: { limit: 1, windowSeconds: 1 } });
  await expect(change({ scopes: [{ name: 'a' }] })).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
  await expect(change({ maxRateLimit: { limit: 59, windowSeconds: 60 } })).rejects.toMatchObject({
    code: 'BAD_USER_INPUT',
  });
});

describe('the defaults of a policy', () => {
  const defaults = {
    lifetimeSeconds: 86_400,
    allowedIps: ['10.0.0.0/8 # the office'],
    scopes: ['orders:read'],
    rateLimit: { limit: 10, windowSeconds: 60 },
  };
  const settingsOf = ({ expiresAt, createdAt, allowedIps, scopes, rateLimit }: Record<string, string>) => ({
    lifetimeSeconds: expiresAt === null ? null : (Date.parse(expiresAt ?? '') - Date.parse(createdAt ?? '')) / 1000,
    ...{ allowedIps, scopes, rateLimit },
  });
  const strict = { maxLifetimeSeconds: 86_400, requireAllowedIps: true, maxRateLimit: { limit: 1, windowSeconds: 6 } };

  it('are what a new key gets where its creator gives none, so that it meets the rules', async () => {
    const { set, policy, create, call, ask } = aTeam();
    expect((await set({ ...strict, scopes: [{ name: 'orders:read' }], defaults })).body.defaults).toEqual(defaults);
    expect((await policy()).body.defaults).toEqual(defaults);
    const { status, body } = await create();
    expect(status).toBe(201);
    expect(settingsOf((await call('GET', `/v1/keys/${body.id}`)).body)).toEqual(defaults);
    const { data } = await ask(
      'query ($team: UUID!) { auditLog(teamId: $team) { nodes { action changes { field after } } } }',
    );
    expect(data.auditLog.nodes[0]).toMatchObject({
      action: 'KEY_CREATED',
      changes: expect.arrayContaining([{ field: 'scopes', after: ['orders:read'] }]),
    });
    expect((await create({ env: 'test' })).body).toMatchObject({ env: 'test' });
    await set({ defaults: null });
    expect((await policy()).body.defaults).toEqual(noDefaults);
    expect(settingsOf((await call('GET', `/v1/keys/${(await create()).body.id}`)).body)).toEqual(noDefaults);
  });

  it('are not for what the creator gives, also null and an empty list', async () => {
    const { set, create, call } = aTeam();
    await set({ defaults });
    const given = { allowedIps: [], scopes: ['b'], rateLimit: null, expiresAt: null };
    const { id } = (await create(given)).body;
    expect(settingsOf((await call('GET', `/v1/keys/${id}`)).body)).toEqual({ ...noDefaults, scopes: ['b'] });
    await set({ ...strict, defaults });
    const { body } = await create({ expiresAt: null });
    expect(body.errors).toMatchObject([{ rule: 'maxLifetimeSeconds' }]);
  });

  it('are not for keys that are put or imported, which say what they are', async () => {
    const { team, set, call, ask } = aTeam();
    await set({ defaults });
    const put = await call('PUT', `/v1/keys/${team}/live/shop`, { name: 'Shop' });
    expect(settingsOf((await call('GET', `/v1/keys/${put.body.id}`)).body)).toEqual(noDefaults);
    const keys = [{ name: 'A', env: 'live', digest: `sha256:${hash('sha256', randomUUID())}` }];
    const { data } = await ask(
      `mutation ($team: UUID!, $keys: [ImportKeyInput!]!) { importKeys(teamId: $team, keys: $keys) {
        results { apiKey { expiresAt allowedIps scopes rateLimit { limit } } } } }`,
      { keys },
    );
    expect(data.importKeys.results[0].apiKey).toEqual({ expiresAt: null, allowedIps: [], scopes: [], rateLimit: null });
  });

  it('leave a repeated call the same, whatever they are by then', async () => {
    const { team, token, set } = aTeam();
    const headers = { 'Idempotency-Key': randomUUID() };
    const create = () =>
      rest(gateway.running.url, token, 'POST', '/v1/keys', { teamId: team, name: 'Shop', env: 'live' }, headers);
    await set({ defaults });
    const { id } = (await create()).body;
    await set({ defaults: { scopes: ['b'] } });
    expect((await create()).body).toMatchObject({ code: 'KEY_ALREADY_CREATED', keyId: id });
  });

  it('are rejected if they are malformed, or if the rules beside them do not permit them', async () => {
    const { set, policy } = aTeam();
    const rejected = async (body: object) => {
      const answer = (await set(body)).body;
      expect(answer.code).toBe('BAD_USER_INPUT');
      return answer.errors.map(({ field }: { field: string }) => field);
    };
    const malformed = {
      lifetimeSeconds: 59,
      allowedIps: ['10.0.0.1/8'],
      scopes: ['two words'],
      rateLimit: { limit: 0, windowSeconds: 1 },
    };
    expect(await rejected({ defaults: malformed, maxLifetimeSeconds: 1 })).toEqual([
      'maxLifetimeSeconds',
      'defaults.lifetimeSeconds',
      'defaults.allowedIps[0]',
      'defaults.scopes[0]',
      'defaults.rateLimit.limit',
    ]);
    const rules = { maxLifetimeSeconds: 86_399, scopes: [{ name: 'b' }], maxRateLimit: { limit: 1, windowSeconds: 7 } };
    expect(await rejected({ ...rules, defaults })).toEqual([
      'defaults.lifetimeSeconds',
      'defaults.scopes',
      'defaults.rateLimit',
    ]);
    expect(await rejected({ defaults: { surprise: true } })).toEqual(['defaults.surprise']);
    const many = { allowedIps: Array.from({ length: 101 }, (_, i) => `10.0.0.${i}`) };
    expect(await rejected({ defaults: many })).toEqual(['defaults.allowedIps']);
    expect((await policy()).body.defaults).toEqual(noDefaults);
  });

  it('are in the audit trail when they change', async () => {
    const { set, ask } = aTeam();
    await set({ defaults });
    await set({ defaults });
    await set({ defaults: { ...defaults, scopes: [] } });
    const { data } = await ask(
      `query ($team: UUID!) { auditLog(teamId: $team) { nodes { changes { field removed } } } }`,
    );
    expect(data.auditLog.nodes).toHaveLength(2);
    expect(data.auditLog.nodes[0].changes).toEqual([{ field: 'defaults.scopes', removed: ['orders:read'] }]);
  });
});

describe('an import', () => {
  it('rejects the keys that violate the policy, alone and also in a dry run', async () => {
    const { set, ask } = aTeam();
    await set({ requireExpiry: true });
    const key = (name: string, more: object = {}) => ({
      ...{ name, env: 'live', digest: `sha256:${hash('sha256', `${name} ${randomUUID()}`)}`, ...more },
    });
    const keys = [key('A'), key('B', { expiresAt: inDays(3) }), key('C', { env: 'test' })];
    const importing = `mutation ($team: UUID!, $keys: [ImportKeyInput!]!, $dryRun: Boolean!) {
      importKeys(teamId: $team, keys: $keys, dryRun: $dryRun) { results { outcome apiKey { name } policyViolations { rule field message } } } }`;
    const violation = { rule: 'requireExpiry', field: 'expiresAt', message: 'must be set' };
    const results = async (dryRun: boolean) =>
      (await ask(importing, { keys, dryRun })).data.importKeys.results.map(
        ({ outcome, apiKey, policyViolations }: ImportResult) => {
          expect(policyViolations).toEqual(outcome === 'POLICY_VIOLATED' ? [violation] : []);
          return [outcome, apiKey?.name];
        },
      );
    const nothing = [undefined, undefined, undefined];
    const outcomes = ['POLICY_VIOLATED', 'IMPORTED', 'IMPORTED'];
    expect(await results(true)).toEqual(outcomes.map((outcome, i) => [outcome, nothing[i]]));
    expect(await results(false)).toEqual(outcomes.map((outcome, i) => [outcome, [undefined, 'B', 'C'][i]]));
    expect(await results(true)).toEqual(
      ['POLICY_VIOLATED', 'EXISTED', 'EXISTED'].map((outcome, i) => [outcome, [undefined, 'B', 'C'][i]]),
    );
  });
});

describe('a change of many keys', () => {
  it('leaves out the keys that violate the policy alone, with the rules and what they permit', async () => {
    const { set, create, ask, call } = aTeam();
    const ids: string[] = [];
    for (const env of ['live', 'test']) ids.push((await create({ env })).body.id);
    await set({ scopes: [{ name: 'orders:read' }], requireExpiry: true });
    const { data } = await ask(
      `mutation ($team: UUID!, $keys: [KeyToChangeInput!]!) { changeKeys(teamId: $team, action: UPDATE, keys: $keys) {
        results { outcome apiKey { scopes } policyViolations { rule field message } } } }`,
      { keys: ids.map((id) => ({ id, settings: { scopes: ['orders:write'] } })) },
    );
    const violation = { rule: 'scopes', field: 'scopes', message: 'must be among: orders:read' };
    expect(data.changeKeys.results).toEqual([
      { outcome: 'POLICY_VIOLATED', apiKey: null, policyViolations: [violation] },
      { outcome: 'CHANGED', apiKey: { scopes: ['orders:write'] }, policyViolations: [] },
    ]);
    expect((await call('GET', `/v1/keys/${ids[0]}`)).body.scopes).toEqual([]);
  });
});

describe('an answer for as many keys as the clients of this repository send', () => {
  it.each([
    [
      'changeKeys',
      limits.changedKeysWithViolations,
      'KeyToChangeInput',
      'action: UPDATE, ',
      (id: string) => ({ id, settings: { scopes: ['orders:write'] } }),
      'apiKey { revision }',
    ],
    [
      'importKeys',
      limits.importedKeysWithViolations,
      'ImportKeyInput',
      '',
      (id: string) => ({ name: 'A', env: 'live', digest: `sha256:${hash('sha256', id)}` }),
      'apiKey { id prefix }',
    ],
  ] as const)('has the rules that each violates: %s', async (operation, count, type, more, keyOf, apiKey) => {
    const { set, ask } = aTeam();
    await set({ requireExpiry: true });
    const keys = Array.from({ length: count }, () => keyOf(randomUUID()));
    const answer = await ask(
      `mutation ($team: UUID!, $keys: [${type}!]!) { answer: ${operation}(teamId: $team, ${more}keys: $keys) {
        results { outcome ${apiKey} policyViolations { rule field message } } } }`,
      { keys },
    );
    expect(answer.errors).toBeUndefined();
    expect(answer.data.answer.results).toHaveLength(count);
  });
});

describe('a change of a key', () => {
  it.each([
    ['requireExpiry', { requireExpiry: true }, 'expiresAt'],
    ['maxLifetimeSeconds', { maxLifetimeSeconds: 86_400 }, 'expiresAt'],
    ['requireAllowedIps', { requireAllowedIps: true }, 'allowedIps'],
    ['requireSigning', { requireSigning: true }, 'signing'],
    ['scopes', { scopes: [{ name: 'orders:read' }] }, 'scopes'],
    ['maxRateLimit', { maxRateLimit: { limit: 10, windowSeconds: 60 } }, 'rateLimit'],
  ])('that violates %s is rejected with the rule and what is permitted', async (rule, policy, field) => {
    const { set, create } = aTeam();
    await set(policy);
    const { status, body } = await create({ scopes: ['orders:write'] });
    expect([status, body.code]).toEqual([409, 'POLICY_VIOLATED']);
    expect(body.errors).toEqual([{ rule, field, message: expect.stringMatching(/^must /) }]);
    expect(body.detail).toContain(`(${rule})`);
  });

  it('that allows all sources violates a policy that demands some, also in several networks', async () => {
    const { set, create } = aTeam();
    const policy = { requireAllowedIps: true };
    await set(policy);
    const halves = ['0.0.0.0/1', '10.0.0.0/8', '128.0.0.0/1 # the others'];
    for (const allowedIps of [['0.0.0.0/0'], ['::/0', '10.0.0.1'], ['2000::/3'], ['::ffff:0.0.0.0/96'], halves]) {
      const { status, body } = await create({ allowedIps });
      const message = 'must not allow every IPv4 address or every public IPv6 address';
      expect([status, body.errors]).toEqual([409, [{ rule: 'requireAllowedIps', field: 'allowedIps', message }]]);
    }
    expect((await create({ allowedIps: halves.slice(1) })).status).toBe(201);
    const { status, body } = await set({ ...policy, defaults: { allowedIps: halves } });
    expect([status, body.errors[0].field]).toEqual([400, 'defaults.allowedIps']);
    expect((await set({ ...policy, defaults: { allowedIps: [] } })).status).toBe(200);
  });

  it('names the first permitted scopes and how many more there are', async () => {
    const { set, create } = aTeam();
    const names = Array.from({ length: 100 }, (_, i) => `orders:${i}`);
    const long = names.map((name) => name.padEnd(90, 'x'));
    expect((await set({ scopes: names.map((name) => ({ name })) })).body).toMatchObject({ env: 'live' });
    const { body } = await create({ scopes: ['orders:write'] });
    expect(body.errors[0].message).toBe(`must be among: ${names.slice(0, 10).join(', ')} and 90 more`);
    await set({ scopes: long.map((name) => ({ name })) });
    const { message } = (await create({ scopes: ['orders:write'] })).body.errors[0];
    expect(message).toBe(`must be among: ${long[0]}, ${long[1]} and 98 more`);
    await set({ scopes: names.slice(0, 10).map((name) => ({ name })) });
    expect((await create({ scopes: ['orders:write'] })).body.errors[0].message).not.toContain(' more');
  });

  it('of another environment is not concerned', async () => {
    const { set, create } = aTeam();
    await set({ requireExpiry: true });
    expect((await create({ env: 'test' })).status).toBe(201);
  });

  it('of a key from before the policy is rejected only for what it changes', async () => {
    const { team, set, create, call, verdictOf } = aTeam();
    const { id, secret } = (await create()).body;
    await set({ requireExpiry: true, requireAllowedIps: true });
    expect(await verdictOf(secret)).toBe('VALID');
    expect((await call('PATCH', `/v1/keys/${id}`, { name: 'Renamed' })).status).toBe(200);
    expect((await call('PATCH', `/v1/keys/${id}`, { expiresAt: inDays(1) })).status).toBe(200);
    const widened = await call('PATCH', `/v1/keys/${id}`, { expiresAt: null });
    expect(widened.body.errors).toMatchObject([{ rule: 'requireExpiry' }]);
    expect((await call('POST', `/v1/keys/${id}/disable`)).status).toBe(200);
    const enabled = await call('POST', `/v1/keys/${id}/enable`);
    expect(enabled.body.errors).toMatchObject([{ rule: 'requireAllowedIps' }]);
    expect((await call('DELETE', `/v1/keys/${id}`)).status).toBe(200);
    const put = await call('PUT', `/v1/keys/${team}/live/shop`, { name: 'Shop' });
    expect(put.body.code).toBe('POLICY_VIOLATED');
  });
});

describe('the keys that violate a policy', () => {
  const listing = `query ($team: UUID!, $violating: Boolean) {
    keys(teamId: $team, filter: { violating: $violating }) { nodes { name policyViolations { rule } } }
    keysOverview(teamId: $team) { violating } }`;

  it.each([
    ['requireExpiry', { requireExpiry: true }],
    ['maxLifetimeSeconds', { maxLifetimeSeconds: 86_400 }],
    ['requireAllowedIps', { requireAllowedIps: true }],
    ['requireSigning', { requireSigning: true }],
    ['scopes', { scopes: [{ name: "a'b" }, { name: 'b' }] }],
    ['maxRateLimit', { maxRateLimit: { limit: 10, windowSeconds: 60 } }],
  ])('of %s are listed, counted, and say so, and the others are not', async (rule, policy) => {
    const { set, create, call, ask } = aTeam();
    const expiring = (await create({ name: 'expires in time' })).body.id;
    const late = (await create({ name: 'expires late' })).body.id;
    const moment = async (id: string, ms: number) => {
      const { createdAt } = (await call('GET', `/v1/keys/${id}`)).body;
      const expiresAt = new Date(Date.parse(createdAt) + 86_400_000 + ms).toISOString();
      expect((await call('PATCH', `/v1/keys/${id}`, { expiresAt })).status).toBe(200);
    };
    await moment(expiring, 0);
    await moment(late, 1);
    await create({ name: 'sources', allowedIps: ['10.0.0.0/8 # not 0.0.0.0/0'], scopes: ['a'] });
    await create({ name: 'all sources', allowedIps: ['10.0.0.0/8', '::/0 # a/8'], scopes: ['b'] });
    await create({ name: 'signs', signing: true, scopes: ['b', "a'b"] });
    await create({ name: 'limited', rateLimit: { limit: 1, windowSeconds: 6 } });
    await create({ name: 'hardly limited', rateLimit: { limit: 1_000_000, windowSeconds: 86_400 } });
    await create({ name: 'of test', env: 'test', scopes: ['a'] });
    const disabled = (await create({ name: 'disabled', scopes: ['c'] })).body.id;
    await call('POST', `/v1/keys/${disabled}/disable`);
    const revoked = (await create({ name: 'revoked', scopes: ['c'] })).body.id;
    await call('DELETE', `/v1/keys/${revoked}`);
    await set(policy);
    const { data } = await ask(listing, { violating: true });
    const violated: { name: string; policyViolations: { rule: string }[] }[] = data.keys.nodes;
    const names = violated.map(({ name }) => name);
    const expected: Record<string, string[]> = {
      requireExpiry: ['disabled', 'hardly limited', 'limited', 'signs', 'all sources', 'sources'],
      maxLifetimeSeconds: ['disabled', 'hardly limited', 'limited', 'signs', 'all sources', 'sources', 'expires late'],
      requireAllowedIps: [
        'disabled',
        'hardly limited',
        'limited',
        'signs',
        'all sources',
        'expires late',
        'expires in time',
      ],
      requireSigning: [
        'disabled',
        'hardly limited',
        'limited',
        'all sources',
        'sources',
        'expires late',
        'expires in time',
      ],
      scopes: ['disabled', 'sources'],
      maxRateLimit: [
        'disabled',
        'hardly limited',
        'signs',
        'all sources',
        'sources',
        'expires late',
        'expires in time',
      ],
    };
    expect(names).toEqual(expected[rule]);
    for (const { policyViolations } of violated) expect(policyViolations).toEqual([{ rule }]);
    expect(data.keysOverview.violating).toBe(names.length - 1);
    const others = (await ask(listing, { violating: false })).data.keys.nodes;
    for (const { policyViolations } of others) expect(policyViolations).toEqual([]);
    expect(others).toHaveLength(9 - names.length);
  });

  it.each([
    ...[
      ['0.0.0.0/0', true],
      ['::/1', true],
      ['0:0::/2 # zeros', true],
      ['2000::/3', true],
      ['::FFFF:0:0/96', true],
    ],
    ...[
      ['0:0:0:0:0:ffff:0.0.0.0/96', true],
      ['128.0.0.0/1', false],
      ['4000::/2', false],
      ['2001:db8::/32', false],
    ],
    ...[
      ['::ffff:10.0.0.0/104', false],
      ['2001:db8:0:0:0:ffff::/96', false],
      ['20.0.0.0/10', false],
    ],
  ] as [string, boolean][])('that allow %s are listed as they are described: %s', async (source, isWhole) => {
    const { set, create, ask } = aTeam();
    await create({ name: 'one', allowedIps: ['192.0.2.1', source] });
    await set({ requireAllowedIps: true });
    const { nodes } = (await ask(listing, {})).data.keys;
    expect(nodes[0].policyViolations).toHaveLength(isWhole ? 1 : 0);
    expect((await ask(listing, { violating: true })).data.keys.nodes).toHaveLength(isWhole ? 1 : 0);
  });
});
