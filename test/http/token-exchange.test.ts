// SECURITY.md: A trusted issuer
/** Tokens of workloads, such as jobs of CI, in exchange for short ones (RFC 8693). Keys are those of a real provider. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Permission } from '../../src/domain/key/permission.ts';
import { exchangeToken } from '../../src/manage/access/exchange-token.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import type { Caller } from '../../src/manage/management.ts';
import { checkedFetch } from '../support/checked-fetch.ts';
import { theProvider } from '../support/databases.ts';
import { TestProvider } from '../support/identity-provider.ts';
import { inTests } from '../support/in-tests.ts';
import { recorded } from '../support/recorded-claims.ts';
import { both, graphql, rest, sessionToken, startService } from '../support/service.ts';

const running = inTests(async () => {
  const provider = await TestProvider.start({ publicUrl: 'http://127.0.0.1:4000' });
  const other = await TestProvider.start({ publicUrl: 'http://127.0.0.1:4000' });
  const service = await startService(theProvider, { TRUSTED_ISSUERS: `${provider.issuer}, ${other.issuer}` });
  const stop = async () => {
    await service.stop();
    await provider.stop();
    await other.stop();
  };
  return { ...service, provider, other, stop };
});
const team = randomUUID();
const administrator: readonly Permission[] = [...both, 'import_keys', 'manage_webhooks', 'manage_access'];
const token = sessionToken({ [team]: administrator }, 'ada');

const rule = (fields: object = {}, as = token, url = running.url) =>
  rest(url, as, 'POST', '/v1/trust-rules', {
    teamId: team,
    name: 'Deployments',
    issuer: running.provider.issuer,
    audience: 'latchkey',
    claims: { repository_id: '74231', ref: 'refs/heads/main' },
    permissions: ['view_team', 'manage_keys'],
    ...fields,
  });

const issue = (claims: object = {}, { by = running.provider, ...options }: { by?: TestProvider } & object = {}) => {
  const now = Math.floor(Date.now() / 1000);
  const standard = { iss: by.issuer, aud: 'latchkey', iat: now, nbf: now, exp: now + 300, jti: randomUUID() };
  return by.sign({ ...standard, ...recorded.github, ...claims }, options);
};

async function exchange(subjectToken: string, fields: Record<string, string> = {}, url = running.url) {
  const form = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    subject_token: subjectToken,
    audience: team,
    ...fields,
  });
  const response = await checkedFetch(`${url}/v1/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
  });
  // What a test expects of a body is asserted by the test.
  const body: ReturnType<typeof JSON.parse> = await response.json();
  return { status: response.status, body };
}

const keys = (as: string) => rest(running.url, as, 'GET', `/v1/keys?teamId=${team}`);

describe('a token of a workload', () => {
  it('is exchanged for one that manages keys, for at most 15 minutes', async () => {
    const { id } = (await rule()).body;
    const { status, body } = await exchange(await issue());
    expect([status, body]).toEqual([
      200,
      {
        access_token: expect.any(String),
        issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        token_type: 'Bearer',
        expires_in: expect.any(Number),
      },
    ]);
    expect(body.expires_in).toBeLessThanOrEqual(300);
    const longer = await exchange(await issue({ exp: Math.floor(Date.now() / 1000) + 7200 }));
    expect(longer.body.expires_in).toBe(900);
    const create = { teamId: team, name: 'Deployed', env: 'live' };
    const created = await rest(running.url, body.access_token, 'POST', '/v1/keys', create);
    expect(created.status).toBe(201);
    const trail = `query ($team: UUID!, $key: UUID!) { auditLog(teamId: $team, keyId: $key) { nodes { actor actorKind } } }`;
    const { data } = (await graphql(running.url, token, trail, { team, key: created.body.id })).body;
    expect(data.auditLog.nodes).toEqual([{ actor: recorded.github.sub, actorKind: 'WORKLOAD' }]);
    await rest(running.url, token, 'DELETE', `/v1/trust-rules/${id}`);
  });

  it.each([
    ['GitLab', { ...recorded.gitlab }, { project_id: '20', ref_protected: 'true' }],
    [
      'Kubernetes',
      { ...recorded.kubernetes },
      { 'kubernetes.io.serviceaccount.uid': '5a1d7e44-7a0b-4f6e-8a57-9b0b6f1c2d3e' },
    ],
  ])('of %s is accepted by the ids in it', async (_, claims, expected) => {
    const { id } = (await rule({ claims: expected })).body;
    expect((await exchange(await issue(claims))).status).toBe(200);
    await rest(running.url, token, 'DELETE', `/v1/trust-rules/${id}`);
  });

  it.each<[string, () => Promise<string> | string, RegExp]>([
    ['with another value of a claim', () => issue({ ref: 'refs/heads/x' }), /claim ref is not the one/],
    ['without a claim', () => issue({ ref: undefined }), /no claim ref/],
    ['that expired a moment ago', () => issue({ exp: Math.floor(Date.now() / 1000) - 2 }), /expired/],
    ['with another audience', () => issue({ aud: 'sigstore' }), /audience \(aud\) is not/],
    ['without an audience', () => issue({ aud: undefined }), /audience \(aud\) is not/],
    ['with a control character in its subject', () => issue({ sub: 'job\n7' }), /subject \(sub\)/],
    ['that has expired', () => issue({ exp: Math.floor(Date.now() / 1000) - 60 }), /expired/],
    ['without an expiry', () => issue({ exp: undefined }), /no expiry/],
    ['of an issuer that is not trusted', () => issue({ iss: 'https://evil.example' }), /not one of TRUSTED_ISSUERS/],
    ['that lasts too long', () => issue({ exp: Math.floor(Date.now() / 1000) + 86_500 }), /more than 24 hours/],
    ['of an issuer without a rule', () => issue({}, { by: running.other }), /is for this workload/],
    ['of another workload', () => issue({ repository_id: '74232' }), /is for this workload/],
    ['signed by another issuer', () => issue({ iss: running.other.issuer }), /signing key that its issuer does not/],
    ['that is a session token', () => token, /issuer \(iss\)/],
    ['that is none', () => 'nonsense', /not a JWT/],
  ])('%s is refused with the reason', async (_, subjectToken, reason) => {
    const { id } = (await rule()).body;
    const { status, body } = await exchange(await subjectToken());
    expect([status, body.error]).toEqual([400, 'invalid_grant']);
    expect(body.error_description).toMatch(reason);
    await rest(running.url, token, 'DELETE', `/v1/trust-rules/${id}`);
  });

  it('stops working while its rule is frozen, and works again afterwards', async () => {
    const { id } = (await rule()).body;
    const workload = (await exchange(await issue())).body.access_token;
    expect((await keys(workload)).status).toBe(200);
    const fence = await rest(running.url, token, 'POST', '/v1/fences', { teamId: team, reason: 'A drill' });
    expect(fence.status).toBe(201);
    expect((await keys(workload)).status).toBe(401);
    const create = { teamId: team, name: 'Deployed', env: 'live' };
    expect((await rest(running.url, workload, 'POST', '/v1/keys', create)).status).toBe(401);
    await rest(running.url, token, 'DELETE', `/v1/fences/${fence.body.id}`);
    expect((await keys(workload)).status).toBe(200);
    await rest(running.url, token, 'DELETE', `/v1/trust-rules/${id}`);
  });

  it('of another workload says nothing of the rules of a team', async () => {
    const foreign = async (claims: object = {}) =>
      (await exchange(await issue({ repository_id: '1', ...claims }))).body;
    const withoutRules = await foreign();
    const { id } = (await rule()).body;
    expect([await foreign(), await foreign({ aud: 'sigstore' }), await foreign({ ref: 'x' })]).toEqual(
      Array(3).fill(withoutRules),
    );
    await rest(running.url, token, 'DELETE', `/v1/trust-rules/${id}`);
  });

  it('above the limit of its rule is not remembered', async () => {
    const limited = await startService(theProvider, {
      ...{ TRUSTED_ISSUERS: running.provider.issuer, TEAM_CHANGES_PER_HOUR: '1' },
    });
    onTestFinished(limited.stop);
    await rule({ once: true }, token, limited.url);
    const remembered = vi.spyOn(limited.service.management.store.endedSessions, 'endOnce');
    const status = async (subjectToken: string) => (await exchange(subjectToken, {}, limited.url)).status;
    const used = await issue();
    expect([await status(used), await status(await issue()), await status(used)]).toEqual([200, 429, 400]);
    expect(remembered).toHaveBeenCalledTimes(1);
  });

  it('is exchanged once where the rule says so, and not without an id', async () => {
    const { id } = (await rule({ once: true })).body;
    const subjectToken = await issue();
    expect((await exchange(subjectToken)).status).toBe(200);
    expect((await exchange(subjectToken)).body.error_description).toContain('it was exchanged before');
    expect((await exchange(await issue({ jti: undefined }))).body.error_description).toContain('no id (jti)');
    await rest(running.url, token, 'DELETE', `/v1/trust-rules/${id}`);
  });

  it('that was exchanged can not be exchanged again, and dies with its rule, also in a call that is under way', async () => {
    const { id } = (await rule()).body;
    const { access_token: exchanged } = (await exchange(await issue())).body;
    expect((await exchange(exchanged)).body.error).toBe('invalid_grant');
    expect((await keys(exchanged)).status).toBe(200);
    const { management } = running.service;
    const lastUses = async () => (await management.store.usage.lastUsed([id])).size;
    await expect.poll(lastUses).toBe(1);
    const caller: Caller = {
      session: { subject: 'job', teams: new Map([[team, new Set(both)]]), teamNames: new Map() },
      ...{
        actorKind: 'WORKLOAD',
        credential: { kind: 'TRUST_RULE', id },
        source: null,
        requestId: 'r',
        now: new Date(),
      },
    };
    expect((await rest(running.url, token, 'DELETE', `/v1/trust-rules/${id}`)).body).toEqual({ ok: true });
    expect(await lastUses()).toBe(0);
    expect((await keys(exchanged)).body.code).toBe('UNAUTHENTICATED');
    const late = createKey(management, caller, { teamId: team, name: 'Too late', env: 'live' });
    await expect(late).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    const presented = { teamId: team, issuer: 'x', claims: {}, expiresAt: new Date(), now: new Date() };
    const gone = exchangeToken(management, presented, () => undefined);
    await expect(gone).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });
});

describe('a trust rule', () => {
  it.each<[string, object, string, RegExp]>([
    ['an issuer that the operator does not trust', { issuer: 'https://evil.example' }, 'issuer', /TRUSTED_ISSUERS/],
    [
      'a name of a repository',
      { claims: { repository: 'acme/shop' } },
      'claims',
      /repository_id instead of repository/,
    ],
    ['a subject made of names', { claims: { sub: recorded.github.sub } }, 'claims', /instead of this sub/],
    ['a wildcard', { claims: { repository_id: '74231', ref: 'refs/heads/*' } }, 'claims', /exact values/],
    ['nothing that identifies a workload', { claims: { ref: 'refs/heads/main' } }, 'claims', /only one workload has/],
    ['a person, who causes jobs in all repositories', { claims: { actor_id: '7' } }, 'claims', /only one workload has/],
    [
      'a customized subject of names',
      { claims: { sub: 'repository:acme/shop:ref:refs/heads/main' } },
      'claims',
      /this sub/,
    ],
    ['no claims', { claims: {} }, 'claims', /only one workload has/],
    ['manage_access', { permissions: ['manage_access'] }, 'permissions[0]', /must be one of/],
    ['import_keys', { permissions: ['import_keys'] }, 'permissions[0]', /must be one of/],
    ['manage_policy', { permissions: ['manage_policy'] }, 'permissions[0]', /must be one of/],
  ])('with %s is refused with the reason', async (_, fields, field, message) => {
    const { status, body } = await rule(fields);
    expect([status, body.errors?.[0].field]).toEqual([400, field]);
    expect(body.errors[0].message).toMatch(message);
  });

  it('is made only by who may give access, and never by a program', async () => {
    expect((await rule({}, sessionToken({ [team]: both }))).status).toBe(403);
    const { id } = (await rule()).body;
    const { access_token: exchanged } = (await exchange(await issue())).body;
    expect((await rule({}, exchanged)).status).toBe(403);
    await rest(running.url, token, 'DELETE', `/v1/trust-rules/${id}`);
  });
});

it.each([
  [{ grant_type: 'client_credentials' }, 'unsupported_grant_type'],
  [{ subject_token_type: 'urn:ietf:params:oauth:token-type:saml2' }, 'invalid_request'],
  [{ audience: 'my-team' }, 'invalid_target'],
  [{ subject_token: '' }, 'invalid_request'],
])('a request with %j is refused as RFC 8693 says', async (fields, error) => {
  const { status, body } = await exchange('a.b.c', fields as Record<string, string>);
  expect([status, body.error]).toEqual([400, error]);
});
