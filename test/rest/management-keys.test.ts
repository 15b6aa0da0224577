// SECURITY.md: A management key
/** Keys with which programs manage the keys of a team. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { signRequest } from '../../src/client/sign.ts';
import type { Permission } from '../../src/domain/key/permission.ts';
import { authenticateManagementKey } from '../../src/manage/access/authenticate-management-key.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import { theProvider } from '../support/databases.ts';
import { startGateway } from '../support/gateway.ts';
import { inTests } from '../support/in-tests.ts';
import { both, graphql, rest, secondInstance, sessionToken, startService } from '../support/service.ts';
import { unlimitedCalls } from '../support/unlimited-calls.ts';

const gateway = inTests(() => startGateway(theProvider));
const team = randomUUID();
const administrator: readonly Permission[] = [...both, 'import_keys', 'manage_webhooks', 'manage_access'];
const token = sessionToken({ [team]: administrator }, 'ada');
const url = () => gateway.running.url;
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

const make = (fields: object = {}, as = token) =>
  rest(url(), as, 'POST', '/v1/management-keys', {
    teamId: team,
    name: 'Billing',
    permissions: ['view_team', 'manage_keys'],
    expiresAt: inDays(30),
    ...fields,
  });
const keys = (as: string) => rest(url(), as, 'GET', `/v1/keys?teamId=${team}`);
const verdict = async (key: string) => (await rest(gateway.url, null, 'POST', '/v1/verify', { key })).body;
const create = (as: string) => rest(url(), as, 'POST', '/v1/keys', { teamId: team, name: 'Customer', env: 'live' });

describe('a management key', () => {
  it('creates, lists and revokes keys over REST and GraphQL, and is shown once', async () => {
    const made = await make();
    expect(made.status).toBe(201);
    expect(made.body).toStrictEqual({
      id: expect.any(String),
      name: 'Billing',
      prefix: expect.stringMatching(/^lk_mgmt_[0-9A-Za-z]{8}$/),
      secret: expect.stringMatching(/^lk_mgmt_[0-9A-Za-z]{8}_[0-9A-Za-z]{49}$/),
      expiresAt: expect.any(String),
    });
    const { id, secret } = made.body;
    const created = await create(secret);
    expect(created.status).toBe(201);
    expect((await keys(secret)).body.map((key: { id: string }) => key.id)).toContain(created.body.id);
    const read = await graphql(url(), secret, '{ viewer { subject teams { id permissions } } }');
    const viewer = { subject: id, teams: [{ id: team, permissions: ['view_team', 'manage_keys'] }] };
    expect(read.body.data.viewer).toEqual(viewer);
    expect((await rest(url(), secret, 'DELETE', `/v1/keys/${created.body.id}`)).body).toEqual({ ok: true });
    const listed = await rest(url(), token, 'GET', `/v1/management-keys?teamId=${team}`);
    expect(JSON.stringify(listed.body)).not.toContain(secret);
    expect(listed.body.find((key: { id: string }) => key.id === id)).toMatchObject({
      createdBy: 'ada',
      state: 'ACTIVE',
    });
  });

  it('is the actor of what is done with it, and the creator of its keys', async () => {
    const { id, secret } = (await make()).body;
    const created = (await create(secret)).body;
    const trail = `query ($team: UUID!, $actor: String!) {
      auditLog(teamId: $team, actor: $actor) { nodes { action actor actorKind keyId } }
      keys(teamId: $team, filter: { createdBy: $actor }) { nodes { id createdBy responsible } }
    }`;
    const { data } = (await graphql(url(), token, trail, { team, actor: id })).body;
    expect(data.auditLog.nodes).toEqual([
      { action: 'KEY_CREATED', actor: id, actorKind: 'MANAGEMENT_KEY', keyId: created.id },
    ]);
    expect(data.keys.nodes).toEqual([{ id: created.id, createdBy: id, responsible: null }]);
  });

  it('says when it was last used, and from where', async () => {
    const { id, secret } = (await make()).body;
    await keys(secret);
    const read = `query ($id: UUID!) { managementKey(id: $id) { lastUsedAt observedSources { address } } }`;
    const shown = async () => (await graphql(url(), token, read, { id })).body.data.managementKey;
    await expect.poll(shown).toEqual({ lastUsedAt: expect.any(String), observedSources: [{ address: '127.0.0.1' }] });
  });

  it('is rejected from the next call on at every instance once its revocation is answered', async () => {
    const other = await secondInstance(gateway.running);
    onTestFinished(() => other.close());
    const { id, secret } = (await make()).body;
    const present = {
      secret,
      source: null,
      requestId: 'r',
      now: new Date(),
      request: { method: 'GET', url: '/', headers: {} },
      calls: unlimitedCalls,
    };
    await authenticateManagementKey(other.management, present);
    expect((await rest(url(), token, 'DELETE', `/v1/management-keys/${id}`)).body).toEqual({ ok: true });
    expect((await keys(secret)).body).toMatchObject({
      code: 'UNAUTHENTICATED',
      detail: 'The management key is revoked.',
    });
    const again = authenticateManagementKey(other.management, present);
    await expect(again).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect((await rest(url(), token, 'DELETE', `/v1/management-keys/${id}`)).body).toEqual({ ok: true });
  });

  it('changes nothing after its revocation was answered, also in a call that was under way', async () => {
    const { management } = gateway.running.service;
    const { id, secret } = (await make()).body;
    const { caller } = await authenticateManagementKey(management, {
      ...{ secret, source: null, requestId: 'r', now: new Date() },
      request: { method: 'POST', url: '/v1/keys', headers: {} },
      calls: unlimitedCalls,
    });
    const before = (await keys(token)).body.length;
    await rest(url(), token, 'DELETE', `/v1/management-keys/${id}`);
    const late = createKey(management, caller, { teamId: team, name: 'Too late', env: 'live' });
    await expect(late).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect((await keys(token)).body).toHaveLength(before);
  });

  it('is rotated only by who has all of its permissions, else a new secret would be more than they have', async () => {
    const { id, secret } = (await make()).body;
    const path = `/v1/management-keys/${id}/rotate`;
    for (const held of [['manage_access'], ['manage_access', 'view_team']] as const) {
      const { status, body } = await rest(url(), sessionToken({ [team]: held }), 'POST', path, { overlapSeconds: 60 });
      expect([status, body.code, body.secret]).toEqual([403, 'FORBIDDEN', undefined]);
    }
    expect((await keys(secret)).status).toBe(200);
    const enough = sessionToken({ [team]: ['manage_access', ...both] });
    expect((await rest(url(), enough, 'POST', path, { overlapSeconds: 60 })).status).toBe(200);
  });

  it('has no overlap beyond its expiry', async () => {
    const expiresAt = inDays(1);
    const { id } = (await make({ expiresAt })).body;
    const path = `/v1/management-keys/${id}/rotate`;
    const { previousSecretExpiresAt } = (await rest(url(), token, 'POST', path, { overlapSeconds: 86_400 * 30 })).body;
    expect(Date.parse(previousSecretExpiresAt)).toBe(Date.parse(expiresAt));
  });

  it('is rotated with an overlap, in which both secrets are accepted, and without one', async () => {
    const { id, secret } = (await make()).body;
    const rotate = async (overlapSeconds: number) =>
      (await rest(url(), token, 'POST', `/v1/management-keys/${id}/rotate`, { overlapSeconds })).body.secret;
    const second = await rotate(3600);
    expect([(await keys(secret)).status, (await keys(second)).status]).toEqual([200, 200]);
    const third = await rotate(0);
    const statuses = await Promise.all([secret, second, third].map(async (one) => (await keys(one)).status));
    expect(statuses).toEqual([401, 401, 200]);
  });

  it('is rejected from an address that it does not allow, and after its expiry', async () => {
    const elsewhere = (await make({ allowedIps: ['203.0.113.0/24'] })).body.secret;
    expect((await keys(elsewhere)).body.detail).toBe('The management key is not accepted from this address.');
    const { secret } = (await make()).body;
    const late = authenticateManagementKey(gateway.running.service.management, {
      ...{ secret, source: null, requestId: 'r', now: new Date(inDays(31)) },
      request: { method: 'GET', url: '/', headers: {} },
      calls: unlimitedCalls,
    });
    await expect(late).rejects.toMatchObject({ message: 'The management key has expired.' });
  });

  it('with signing is accepted only for signed calls, once each, with the body that was signed', async () => {
    const { id, secret, signingSecret } = (await make({ signing: true })).body;
    expect((await keys(secret)).body.detail).toBe('Calls with this management key must be signed (RFC 9421).');
    const body = JSON.stringify({ teamId: team, name: 'Signed', env: 'live' });
    const signed = signRequest({ method: 'POST', url: `${url()}/v1/keys`, body }, { keyId: id, signingSecret });
    const send = (sent: string) => rest(url(), secret, 'POST', '/v1/keys', sent, { ...signed });
    expect((await send(body.replace('Signed', 'Forged'))).body.detail).toBe(
      'The body must have the digest that was signed.',
    );
    expect((await send(body)).body.detail).toBe('The signature of the call was used before.');
    const anew = signRequest({ method: 'POST', url: `${url()}/v1/keys`, body }, { keyId: id, signingSecret });
    expect((await rest(url(), secret, 'POST', '/v1/keys', body, { ...anew })).status).toBe(201);
  });

  it('with signing is not accepted without the body that was signed', async () => {
    const { id, secret, signingSecret } = (await make({ signing: true })).body;
    const key = (await create(token)).body;
    const path = `/v1/keys/${key.id}/rotate`;
    const signedOver = (body: string) =>
      signRequest({ method: 'POST', url: `${url()}${path}`, body }, { keyId: id, signingSecret });
    const headers = { ...signedOver('{"overlapSeconds":3600}') };
    const bare = await rest(url(), secret, 'POST', path, undefined, headers);
    expect([bare.status, bare.body.detail]).toEqual([401, 'The body must have the digest that was signed.']);
    expect((await verdict(key.secret)).code).toBe('VALID');
    const none = { ...signedOver('') };
    expect((await rest(url(), secret, 'POST', path, undefined, none)).status).toBe(200);
  });
});

describe('above its rate limit, a management key', () => {
  async function limited() {
    const running = await startService(theProvider, { MANAGEMENT_RATE_LIMIT: '1' });
    onTestFinished(running.stop);
    const secretOf = async (fields: object) => {
      const body = { teamId: team, name: 'Busy', permissions: ['view_team'], expiresAt: inDays(1), ...fields };
      return (await rest(running.url, sessionToken({ [team]: administrator }, randomUUID()), ...path, body)).body;
    };
    return { ...running, secretOf };
  }
  const path = ['POST', '/v1/management-keys'] as const;
  const list = `/v1/keys?teamId=${team}`;

  it('stores no nonce and resolves no host', async () => {
    const { url, secretOf, service } = await limited();
    const { id, secret, signingSecret } = await secretOf({ signing: true, allowedIps: ['127.0.0.1', 'ci.example'] });
    const claimed = vi.spyOn(service.management, 'claimNonce');
    const resolved = vi.spyOn(service.management, 'resolveHost');
    const call = async () => {
      const signed = signRequest({ method: 'GET', url: `${url}${list}` }, { keyId: id, signingSecret });
      return (await rest(url, secret, 'GET', list, undefined, { ...signed })).status;
    };
    expect([await call(), claimed.mock.calls.length]).toEqual([200, 1]);
    resolved.mockClear();
    expect([await call(), claimed.mock.calls.length, resolved.mock.calls.length]).toEqual([429, 1, 0]);
  });

  it('is not put by who has its secret without a source or a signature that it allows', async () => {
    const { url, secretOf } = await limited();
    const { id, secret, signingSecret } = await secretOf({ signing: true });
    for (let i = 0; i < 3; i += 1) expect((await rest(url, secret, 'GET', list)).status).toBe(401);
    const signed = signRequest({ method: 'GET', url: `${url}${list}` }, { keyId: id, signingSecret });
    expect((await rest(url, secret, 'GET', list, undefined, { ...signed })).status).toBe(200);
  });
});

describe('a management key is made', () => {
  it.each<[string, object, string]>([
    ['with a permission that its maker lacks', { permissions: ['view_team', 'manage_webhooks'] }, 'permissions[1]'],
    ['with manage_access', { permissions: ['manage_access'] }, 'permissions[0]'],
    ['with manage_policy', { permissions: ['manage_policy'] }, 'permissions[0]'],
    ['with import_keys', { permissions: ['import_keys'] }, 'permissions[0]'],
    ['without a permission', { permissions: [] }, 'permissions'],
    ['without an expiry', { expiresAt: undefined }, 'expiresAt'],
    ['for more than a year', { expiresAt: inDays(400) }, 'expiresAt'],
    ['that has expired', { expiresAt: inDays(-1) }, 'expiresAt'],
    ['with a source that is none', { allowedIps: ['010.0.0.1'] }, 'allowedIps[0]'],
  ])('not %s', async (_, fields, field) => {
    const maker = sessionToken({ [team]: ['view_team', 'manage_keys', 'manage_access'] });
    const { status, body } = await make(fields, maker);
    expect([status, body.errors?.[0].field]).toEqual([400, field]);
  });

  it('with sources of at most 2,000 characters together', async () => {
    const sources = (last: number) =>
      Array.from({ length: 8 }, (_, i) => `10.0.0.${i} # `.padEnd(i === 7 ? last : 250, 'x'));
    expect((await make({ allowedIps: sources(250) })).status).toBe(201);
    expect((await make({ allowedIps: sources(251) })).body.errors[0].field).toBe('allowedIps');
  });

  it('only by who may give access, and never with a management key', async () => {
    expect((await make({}, sessionToken({ [team]: both }))).status).toBe(403);
    const { secret } = (await make()).body;
    expect((await make({}, secret)).status).toBe(403);
    expect((await rest(url(), secret, 'GET', `/v1/management-keys?teamId=${team}`)).status).toBe(403);
  });

  it('of another team is not found', async () => {
    const { id } = (await make()).body;
    const stranger = sessionToken({ [randomUUID()]: administrator });
    expect((await rest(url(), stranger, 'DELETE', `/v1/management-keys/${id}`)).body.code).toBe('CREDENTIAL_NOT_FOUND');
  });

  it('at most 50 times for a team', async () => {
    const crowded = randomUUID();
    const as = sessionToken({ [crowded]: administrator });
    const statuses = [];
    for (let i = 0; i < 51; i += 1) statuses.push((await make({ teamId: crowded }, as)).status);
    expect(statuses).toEqual([...Array(50).fill(201), 409]);
  });
});

describe('at the wrong port', () => {
  it('a management key is MALFORMED with a hint, and the key of an API is no credential for management', async () => {
    const { secret } = (await make()).body;
    const verified = await rest(gateway.url, null, 'POST', '/v1/verify', { key: secret });
    expect(verified.body).toMatchObject({ valid: false, code: 'MALFORMED' });
    expect(verified.headers.get('x-latchkey-hint')).toContain('management key');
    const key = (await create(token)).body.secret;
    expect((await keys(key)).body.detail).toContain('This is an API key.');
  });

  it('a management key with a typo is rejected without a look-up', async () => {
    const { secret } = (await make()).body;
    const last = secret.at(-1) === 'a' ? 'b' : 'a';
    const { managementKeys } = gateway.running.service.management.store;
    const lookUp = vi.spyOn(managementKeys, 'findByDigests');
    onTestFinished(() => lookUp.mockRestore());
    const typo = await keys(secret.slice(0, -1) + last);
    expect(lookUp).not.toHaveBeenCalled();
    expect(typo.body.detail).toBe('The management key has a typo: its checksum is wrong.');
  });
});

describe('under a policy of its team', () => {
  const policed = randomUUID();
  const as = sessionToken({ [policed]: [...administrator, 'manage_policy'] });
  const makeFor = (days: number) => make({ teamId: policed, expiresAt: inDays(days) }, as);
  const setPolicy = (env: string, rules: object) => rest(url(), as, 'PUT', `/v1/policies/${policed}/${env}`, rules);

  it('a management key can not outlive the keys of either environment', async () => {
    expect((await setPolicy('test', { maxLifetimeSeconds: 30 * 86_400 })).status).toBe(200);
    const { status, body } = await makeFor(31);
    expect([status, body.code, body.errors[0]]).toEqual([
      409,
      'POLICY_VIOLATED',
      {
        field: 'expiresAt',
        rule: 'maxLifetimeSeconds',
        message: expect.stringMatching(/^must be at most .+, at most 30 days after the secret was issued$/),
      },
    ]);
    expect((await makeFor(29)).status).toBe(201);
  });

  it('a program makes only keys that the policy permits, and can not change it', async () => {
    await setPolicy('live', { requireAllowedIps: true });
    const { secret } = (await makeFor(29)).body;
    const created = await rest(url(), secret, 'POST', '/v1/keys', { teamId: policed, name: 'Customer', env: 'live' });
    expect([created.status, created.body.code]).toEqual([409, 'POLICY_VIOLATED']);
    const weaker = await rest(url(), secret, 'PUT', `/v1/policies/${policed}/live`, {});
    expect([weaker.status, weaker.body.code]).toEqual([403, 'FORBIDDEN']);
  });

  it('a management key that was made before ends in time when it is rotated', async () => {
    const other = randomUUID();
    const maker = sessionToken({ [other]: [...administrator, 'manage_policy'] });
    const { id } = (await make({ teamId: other, expiresAt: inDays(300) }, maker)).body;
    await rest(url(), maker, 'PUT', `/v1/policies/${other}/test`, { maxLifetimeSeconds: 30 * 86_400 });
    await rest(url(), maker, 'POST', `/v1/management-keys/${id}/rotate`, { overlapSeconds: 60 });
    const [listed] = (await rest(url(), maker, 'GET', `/v1/management-keys?teamId=${other}`)).body;
    expect(Date.parse(listed.expiresAt)).toBeLessThanOrEqual(Date.parse(inDays(30)));
  });
});
