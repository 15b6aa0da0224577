/**
 * Every status that the OpenAPI description has, with every code of it, is brought about here, once. That there are no
 * others is checked in all tests: each call that `rest` and `send` make is held against the description.
 */
import { hash, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { LatchkeyError } from '../../src/domain/errors.ts';
import { type Permission, permissions } from '../../src/domain/key/permission.ts';
import { mintSecret } from '../../src/domain/secret/secret.ts';
import type { GatewayOptions } from '../../src/gateway/options.ts';
import { disableKey } from '../../src/manage/change/key-state.ts';
import { rotateKey } from '../../src/manage/change/rotate-key.ts';
import { freezeKeys } from '../../src/manage/fences/freeze-keys.ts';
import { plainRules, type RunningGateway, type Sent, send, startGateway, startPort } from '../support/gateway.ts';
import { type Github, startGithub } from '../support/github.ts';
import { TestProvider } from '../support/identity-provider.ts';
import { checkExchange, description } from '../support/openapi-contract.ts';
import { exchangeBytes } from '../support/raw-exchange.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import { both, callerOf, type RunningService, rest, sessionToken, startService } from '../support/service.ts';
import { runSql } from '../support/sql.ts';

const team = randomUUID();
const token = sessionToken({ [team]: permissions });
const tooLarge = 'x'.repeat(70_000);

type Case = readonly [operationId: string, status: number, code: string];

/** Of the description: codes for rejections, `-` where the status says it all. */
const documented: Case[] = Object.values(description.paths).flatMap((item) =>
  Object.values(item).flatMap(({ operationId, responses }) =>
    Object.entries(responses ?? {}).flatMap(([status, reply]) => {
      const schema = reply.content?.['application/problem+json']?.schema;
      const codes: readonly string[] =
        schema === undefined ? ['-'] : Reflect.get(schema, 'allOf')[1].properties.code.enum;
      return codes.map((code): Case => [operationId, Number(status), code]);
    }),
  ),
);
const seen = new Set<string>();

type Answering = Promise<{ status: number; body: unknown }>;

/** What expects an answer of an operation. */
const answersOf = (operationId: string) => (status: number, code: string, answer: Answering) =>
  expectAnswer([operationId, status, code], answer);

async function expectAnswer([operationId, status, code]: Case, answer: Answering) {
  const { status: answered, body } = await answer;
  const problem = typeof body === 'string' && body.startsWith('{') ? JSON.parse(body) : body;
  expect([answered, code === '-' ? '-' : problem.code]).toEqual([status, code]);
  seen.add(`${operationId} ${status} ${code}`);
  if (!hasSeveralTexts(operationId, code)) expect(worded(problem)).toEqual(worded(exampleOf(operationId, code)));
}

/** Where one example can't show all that a problem says. */
const hasSeveralTexts = (operationId: string, code: string) =>
  [
    '-',
    'BAD_USER_INPUT',
    'POLICY_VIOLATED',
    'CREDENTIAL_NOT_FOUND',
    'CREDENTIAL_LIMIT_REACHED',
    'EXTERNAL_ID_AMBIGUOUS',
  ].includes(code) ||
  (code === 'KEY_NOT_FOUND' && operationId.includes('NamedKey')) ||
  (code === 'KEY_REVOKED' && operationId.includes('ManagementKey'));

/** What a problem says, whatever key or number it is about. */
function worded({ detail, ...problem }: { readonly detail: string }): unknown {
  return [Object.keys(problem).sort(), detail.replace(/[0-9a-f-]{36}/g, '<id>').replace(/\d+/g, '<number>')];
}

function exampleOf(operationId: string, code: string) {
  const operation = Object.values(description.paths)
    .flatMap((item) => Object.values(item))
    .find((one) => one.operationId === operationId);
  const examples = Object.values(operation?.responses ?? {}).map(
    (reply): unknown => Reflect.get(reply.content?.['application/problem+json'] ?? {}, 'examples') ?? {},
  );
  return Object.assign({}, ...examples)[code]?.value;
}

let github: Github;
let gateway: RunningGateway;
let envoy: RunningGateway;
let guarded: RunningGateway;
let guardedEnvoy: RunningGateway;
let limited: RunningService;
let receiver: Receiver;
let provider: TestProvider;

beforeAll(async () => {
  const VERIFIER_TOKENS = 'a-token-of-the-tests-0123456789ab';
  github = await startGithub();
  receiver = await startReceiver();
  provider = await TestProvider.start({ publicUrl: 'http://127.0.0.1:4000' });
  const TRUSTED_ISSUERS = provider.issuer;
  gateway = await startGateway('sqlite', {
    MAX_KEYS_PER_TEAM: '100',
    GITHUB_SECRET_SCANNING_KEYS_URL: github.url,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1',
    TRUSTED_ISSUERS,
  });
  envoy = await startGateway('sqlite', { GATEWAY: 'envoy' });
  guarded = await startGateway('sqlite', { VERIFIER_TOKENS });
  guardedEnvoy = await startGateway('sqlite', { GATEWAY: 'envoy', VERIFIER_TOKENS });
  limited = await startService('sqlite', {
    MANAGEMENT_RATE_LIMIT: '1',
    FAILED_TOKEN_LIMIT: '1',
    GITHUB_SECRET_SCANNING_KEYS_URL: github.url,
    TRUSTED_ISSUERS,
  });
  await rest(limited.url, token, 'GET', `/v1/keys?teamId=${team}`);
});
afterAll(async () => {
  for (const running of [gateway, envoy, guarded, guardedEnvoy, limited, github, receiver, provider])
    await running.stop();
});

/** Runs an action while every call of the store fails with this error. */
async function withStore(failure: () => Error, action: () => Promise<void>): Promise<void> {
  const { keys, changes, webhooks, auditLog, managementKeys, trustRules, keyPolicies, fences, receipts } =
    gateway.running.service.management.store;
  const fail = async () => {
    throw failure();
  };
  const replaced = [
    [keys, 'find'],
    [keys, 'search'],
    [keys, 'findSecrets'],
    [changes, 'submit'],
    [webhooks, 'find'],
    [webhooks, 'list'],
    [webhooks, 'count'],
    [auditLog, 'textBytes'],
    [keys, 'findByExternalName'],
    [managementKeys, 'find'],
    [managementKeys, 'list'],
    [managementKeys, 'count'],
    [trustRules, 'find'],
    [trustRules, 'list'],
    [trustRules, 'count'],
    [keyPolicies, 'find'],
    [fences, 'find'],
    [fences, 'list'],
    [fences, 'isConfirmed'],
    [auditLog, 'find'],
    [receipts, 'answeredAt'],
  ] as const;
  for (const [part, name] of replaced) Object.defineProperty(part, name, { value: fail, configurable: true });
  try {
    await action();
  } finally {
    for (const [part, name] of replaced) Reflect.deleteProperty(part, name);
  }
}

const broken = () => new Error('the innards');
const away = () => new LatchkeyError('UNAVAILABLE', 'The store does not answer; try again shortly.');

describe('the management port', () => {
  interface Call {
    readonly method: string;
    readonly path: (id: string) => string;
    readonly body?: object;
  }
  const calls: Readonly<Record<string, Call>> = {
    createKey: { method: 'POST', path: () => '/v1/keys', body: { teamId: team, name: 'x', env: 'live' } },
    listKeys: { method: 'GET', path: () => `/v1/keys?teamId=${team}` },
    readKey: { method: 'GET', path: (id) => `/v1/keys/${id}` },
    updateKey: { method: 'PATCH', path: (id) => `/v1/keys/${id}`, body: { name: 'y' } },
    revokeKey: { method: 'DELETE', path: (id) => `/v1/keys/${id}` },
    rotateKey: { method: 'POST', path: (id) => `/v1/keys/${id}/rotate`, body: { overlapSeconds: 60 } },
    endOverlap: { method: 'POST', path: (id) => `/v1/keys/${id}/end-overlap` },
    disableKey: { method: 'POST', path: (id) => `/v1/keys/${id}/disable`, body: { reason: 'leaked' } },
    enableKey: { method: 'POST', path: (id) => `/v1/keys/${id}/enable` },
    enableSigning: { method: 'POST', path: (id) => `/v1/keys/${id}/signing/enable` },
    rotateSigningSecret: { method: 'POST', path: (id) => `/v1/keys/${id}/signing/rotate` },
    disableSigning: { method: 'POST', path: (id) => `/v1/keys/${id}/signing/disable` },
  };
  const reads = ['listKeys', 'readKey'];
  const call = ({ method, path, body }: Call, id: string, as: string | null = token, url = gateway.running.url) =>
    rest(url, as, method, path(id), body);
  const callWith = ({ method, path, body }: Call, id: string, headers: Record<string, string>) =>
    rest(gateway.running.url, token, method, path(id), body, headers);
  const key = async (...steps: string[]) => {
    const { id } = (await rest(gateway.running.url, token, 'POST', '/v1/keys', calls.createKey?.body)).body;
    for (const step of steps) await call(calls[step] as Call, id);
    return id;
  };

  /** What is rejected in the same way by each operation. */
  async function expectRejections(operation: string, its: Call, id: string, otherPermission: Permission) {
    const { url } = gateway.running;
    const raw = (body: string, type: string) =>
      its.method === 'GET'
        ? // fetch sends no body with GET.
          send(url, {
            method: 'GET',
            path: its.path(id),
            headers: { authorization: `Bearer ${token}`, 'content-type': type, 'content-length': body.length },
            body,
          })
        : rest(url, token, its.method, its.path(id), body, { 'content-type': type });
    const expected = answersOf(operation);
    await expected(400, 'BAD_USER_INPUT', raw('{', 'application/json'));
    await expected(413, 'PAYLOAD_TOO_LARGE', raw(tooLarge, 'application/json'));
    await expected(415, 'UNSUPPORTED_MEDIA_TYPE', raw('x', 'text/plain'));
    await expected(401, 'UNAUTHENTICATED', call(its, id, null));
    await expected(403, 'FORBIDDEN', call(its, id, sessionToken({ [team]: [otherPermission] })));
    // The first call opens the minute of its limit, if none is open.
    await call(its, id, token, limited.url);
    await expected(429, 'RATE_LIMITED', call(its, id, token, limited.url));
    await withStore(broken, () => expected(500, 'INTERNAL_SERVER_ERROR', call(its, id)));
    await withStore(away, () => expected(503, 'UNAVAILABLE', call(its, id)));
    await expected(431, 'HEADERS_TOO_LARGE', tooManyHeaders(url, its.method, its.path(id)));
  }

  it.each(Object.keys(calls))('%s', async (operation) => {
    const its = calls[operation] as Call;
    const id = await key(...(operation === 'rotateSigningSecret' ? ['enableSigning'] : []));
    const expected = answersOf(operation);
    await expectRejections(operation, its, id, reads.includes(operation) ? 'manage_keys' : 'view_team');
    if (operation !== 'createKey' && operation !== 'listKeys')
      await expected(404, 'KEY_NOT_FOUND', call(its, randomUUID()));
    await expected(operation === 'createKey' ? 201 : 200, '-', call(its, id));
    if (operation === 'enableSigning') await expected(409, 'SIGNING_ALREADY_ENABLED', call(its, id));
    if (operation === 'rotateSigningSecret') await expected(409, 'SIGNING_NOT_ENABLED', call(its, await key()));
    if (operation === 'rotateKey') await expected(409, 'KEY_DISABLED', call(its, await key('disableKey')));
    if (['updateKey', 'rotateKey'].includes(operation))
      await expected(412, 'PRECONDITION_FAILED', callWith(its, await key(), { 'If-Match': '"0"' }));
    if (!['createKey', 'revokeKey', ...reads].includes(operation))
      await expected(409, 'KEY_REVOKED', call(its, await key('revokeKey')));
  });

  it('reportLeaksAsGithub', async () => {
    const expected = answersOf('reportLeaksAsGithub');
    const path = '/v1/leaks/github';
    const body = JSON.stringify([{ token: 'a', type: 'b' }]);
    const report = (sent = body, headers: Record<string, string> = {}, url = gateway.running.url) =>
      rest(url, null, 'POST', path, sent, { ...github.headersFor(sent), ...headers });
    await expected(200, '-', report());
    await expected(400, 'BAD_USER_INPUT', report('[]'));
    await expected(413, 'PAYLOAD_TOO_LARGE', report(`[${' '.repeat(2 ** 21)}]`));
    const compressed = await report(body, { 'content-encoding': 'gzip' });
    await expected(415, 'UNSUPPORTED_MEDIA_TYPE', Promise.resolve(compressed));
    expect(compressed.headers.get('accept-encoding')).toBe('identity');
    await withStore(broken, () => expected(500, 'INTERNAL_SERVER_ERROR', report()));
    await withStore(away, () => expected(503, 'UNAVAILABLE', report()));
    const ofOther = github.headersFor('[]');
    await expected(401, 'UNAUTHENTICATED', report(body, ofOther, limited.url));
    await expected(429, 'RATE_LIMITED', report(body, ofOther, limited.url));
    await expected(431, 'HEADERS_TOO_LARGE', tooManyHeaders(gateway.running.url, 'POST', path));
  });

  const webhookCalls: Readonly<Record<string, Call>> = {
    createWebhook: { method: 'POST', path: () => '/v1/webhooks', body: { teamId: team, url: 'https://example.com/' } },
    listWebhooks: { method: 'GET', path: () => `/v1/webhooks?teamId=${team}` },
    updateWebhook: { method: 'PATCH', path: (id) => `/v1/webhooks/${id}`, body: { description: 'y' } },
    deleteWebhook: { method: 'DELETE', path: (id) => `/v1/webhooks/${id}` },
    sendTestEvent: { method: 'POST', path: (id) => `/v1/webhooks/${id}/test` },
    rotateWebhookSecret: { method: 'POST', path: (id) => `/v1/webhooks/${id}/rotate-secret` },
    replayEvents: { method: 'POST', path: (id) => `/v1/webhooks/${id}/replay`, body: { from: '2026-01-01T00:00:00Z' } },
    listDeliveries: { method: 'GET', path: (id) => `/v1/webhooks/${id}/deliveries` },
    listEvents: { method: 'GET', path: () => `/v1/events?teamId=${team}` },
  };

  it.each(Object.keys(webhookCalls))('%s', async (operation) => {
    const its = webhookCalls[operation] as Call;
    const { url } = gateway.running;
    const created = await rest(url, token, 'POST', '/v1/webhooks', { teamId: team, url: receiver.url });
    const { id } = created.body;
    await expectRejections(operation, its, id, operation === 'listEvents' ? 'manage_webhooks' : 'view_team');
    if (its.path(id) !== its.path('')) await answersOf(operation)(404, 'WEBHOOK_NOT_FOUND', call(its, randomUUID()));
    await answersOf(operation)(operation === 'createWebhook' ? 201 : 200, '-', call(its, id));
  });

  const access = { teamId: team, permissions: ['view_team'] };
  const program = { ...access, name: 'x', expiresAt: new Date(Date.now() + 86_400_000) };
  const claims = { repository_id: '74231' };
  const accessCalls: Readonly<Record<string, Call>> = {
    createManagementKey: { method: 'POST', path: () => '/v1/management-keys', body: program },
    listManagementKeys: { method: 'GET', path: () => `/v1/management-keys?teamId=${team}` },
    rotateManagementKey: {
      method: 'POST',
      path: (id) => `/v1/management-keys/${id}/rotate`,
      body: { overlapSeconds: 9 },
    },
    revokeManagementKey: { method: 'DELETE', path: (id) => `/v1/management-keys/${id}` },
    listTrustRules: { method: 'GET', path: () => `/v1/trust-rules?teamId=${team}` },
    deleteTrustRule: { method: 'DELETE', path: (id) => `/v1/trust-rules/${id}` },
  };
  const createRule = (): Call => ({
    ...{ method: 'POST', path: () => '/v1/trust-rules' },
    body: { ...access, name: 'x', issuer: provider.issuer, audience: 'latchkey', claims },
  });

  it.each([...Object.keys(accessCalls), 'createTrustRule'])('%s', async (operation) => {
    const its = accessCalls[operation] ?? createRule();
    const made = operation.endsWith('Rule') ? createRule() : (accessCalls.createManagementKey as Call);
    const { id } = (await call(made, '')).body;
    const expected = answersOf(operation);
    await expectRejections(operation, its, id, 'view_team');
    if (its.path(id) !== its.path('')) await expected(404, 'CREDENTIAL_NOT_FOUND', call(its, randomUUID()));
    await expected(operation.startsWith('create') ? 201 : 200, '-', call(its, id));
    if (operation === 'rotateManagementKey') {
      await call(accessCalls.revokeManagementKey as Call, id);
      await expected(409, 'KEY_REVOKED', call(its, id));
    }
  });

  const freeze: Call = {
    ...{ method: 'POST', path: () => '/v1/fences' },
    body: { teamId: team, reason: 'x', externalId: 'nobody' },
  };
  const fenceCalls: Readonly<Record<string, Call>> = {
    freezeKeys: freeze,
    listFences: { method: 'GET', path: () => `/v1/fences?teamId=${team}` },
    unfreezeKeys: { method: 'DELETE', path: (id) => `/v1/fences/${id}` },
  };

  it.each(Object.keys(fenceCalls))('%s', async (operation) => {
    const its = fenceCalls[operation] as Call;
    const { id } = (await call(freeze, '')).body;
    const expected = answersOf(operation);
    await expectRejections(operation, its, id, operation === 'listFences' ? 'manage_keys' : 'view_team');
    if (its.path(id) !== its.path('')) await expected(404, 'FENCE_NOT_FOUND', call(its, randomUUID()));
    await expected(operation === 'freezeKeys' ? 201 : 200, '-', call(its, id));
    if (operation !== 'freezeKeys') return;
    await expected(200, '-', call({ ...freeze, body: { ...freeze.body, dryRun: true } }, ''));
    const own = randomUUID();
    const another = { ...freeze, body: { ...freeze.body, teamId: own } };
    const as = sessionToken({ [own]: permissions });
    let answer = await call(another, '', as);
    while (answer.status === 201) answer = await call(another, '', as);
    await expected(409, 'FENCE_LIMIT_REACHED', Promise.resolve(answer));
    const { url } = gateway.running.database;
    await runSql(url, 'UPDATE "Revision" SET "confirmed" = false');
    await expected(409, 'OLDER_INSTANCES', call(freeze, ''));
    await runSql(url, 'UPDATE "Revision" SET "confirmed" = true');
  });

  it('readReceipt', async () => {
    const expected = answersOf('readReceipt');
    const id = await key();
    const { headers } = await call({ method: 'DELETE', path: (of) => `/v1/keys/${of}` }, id);
    const revision = headers.get('latchkey-revision') ?? '';
    const its: Call = { method: 'GET', path: (of) => `/v1/receipts/${of}` };
    await expectRejections('readReceipt', its, revision, 'manage_keys');
    await expected(404, 'RECEIPT_NOT_FOUND', call(its, 'a'.repeat(22)));
    await expected(200, '-', call(its, revision));
  });

  it.each([
    ['createManagementKey', () => accessCalls.createManagementKey as Call],
    ['createTrustRule', createRule],
  ])('%s, of one too many', async (operation, made) => {
    const own = randomUUID();
    const its = { ...made(), body: { ...made().body, teamId: own } };
    const as = sessionToken({ [own]: permissions });
    let answer = await call(its, '', as);
    while (answer.status === 201) answer = await call(its, '', as);
    await expectAnswer([operation, 409, 'CREDENTIAL_LIMIT_REACHED'], Promise.resolve(answer));
    const ending = operation === 'createTrustRule' ? 'Delete' : 'Revoke';
    expect(answer.body).toMatchObject({
      detail: expect.stringMatching(new RegExp(`is the limit\\. ${ending} one first\\.$`)),
    });
  });

  it('exchangeToken', async () => {
    const expected = answersOf('exchangeToken');
    const { url } = gateway.running;
    const own = randomUUID();
    const rule = { ...createRule().body, teamId: own };
    await rest(url, sessionToken({ [own]: permissions }), 'POST', '/v1/trust-rules', rule);
    const now = Math.floor(Date.now() / 1000);
    const valid = await provider.sign({
      iss: provider.issuer,
      aud: 'latchkey',
      iat: now,
      exp: now + 60,
      sub: 'job',
      ...claims,
    });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const exchange = (subject_token: string, at = url) => {
      const form = new URLSearchParams({
        ...{ grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange', audience: own, subject_token },
        subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      });
      return rest(at, null, 'POST', '/v1/token', form.toString(), headers);
    };
    await expected(200, '-', exchange(valid));
    await expected(400, '-', exchange('none'));
    await expected(413, 'PAYLOAD_TOO_LARGE', exchange(tooLarge));
    await withStore(broken, () => expected(500, 'INTERNAL_SERVER_ERROR', exchange(valid)));
    await withStore(away, () => expected(503, 'UNAVAILABLE', exchange(valid)));
    await exchange('none', limited.url);
    await expected(429, 'RATE_LIMITED', exchange('none', limited.url));
    await expected(431, 'HEADERS_TOO_LARGE', tooManyHeaders(url, 'POST', '/v1/token'));
  });

  const keyWith = (fields: object, teamId = team): Call => ({
    ...{ method: 'POST', path: () => '/v1/keys' },
    body: { teamId, name: 'x', env: 'live', ...fields },
  });
  const rulesCalls: Readonly<Record<string, Call>> = {
    listWholeKeys: { method: 'GET', path: () => `/v1/teams/${team}/keys` },
    readKeyPolicy: { method: 'GET', path: () => `/v1/policies/${team}/live` },
    setKeyPolicy: { method: 'PUT', path: () => `/v1/policies/${team}/live`, body: {} },
  };

  it.each(Object.keys(rulesCalls))('%s', async (operation) => {
    const its = rulesCalls[operation] as Call;
    await expectRejections(operation, its, '', operation === 'setKeyPolicy' ? 'view_team' : 'manage_keys');
    await answersOf(operation)(200, '-', call(its, ''));
  });

  it('what a policy does not permit', async () => {
    const own = randomUUID();
    const as = sessionToken({ [own]: permissions });
    const send = (method: string, path: string, body?: object) => rest(gateway.running.url, as, method, path, body);
    const setPolicy = (rules: object) => send('PUT', `/v1/policies/${own}/live`, rules);
    const make = async (fields: object = {}) =>
      (await send('POST', '/v1/keys', { teamId: own, name: 'x', env: 'live', ...fields })).body.id;
    const [disabled, signed] = [await make(), await make({ signing: true })];
    const expiring = await make({ expiresAt: new Date(Date.now() + 86_400_000) });
    await send('POST', `/v1/keys/${disabled}/disable`);
    await setPolicy({ requireExpiry: true });
    const violates = (operation: string, answer: Answering) => answersOf(operation)(409, 'POLICY_VIOLATED', answer);
    await violates('createKey', send('POST', '/v1/keys', { teamId: own, name: 'x', env: 'live' }));
    await violates('updateKey', send('PATCH', `/v1/keys/${expiring}`, { expiresAt: null }));
    await violates('enableKey', send('POST', `/v1/keys/${disabled}/enable`));
    await violates('putKey', send('PUT', `/v1/keys/${own}/live/a`, { name: 'x' }));
    await violates('putKeyByQuery', send('PUT', `/v1/keys/${own}/live?externalId=a`, { name: 'x' }));
    await setPolicy({ requireSigning: true });
    await violates('disableSigning', send('POST', `/v1/keys/${signed}/signing/disable`));
    await setPolicy({ maxLifetimeSeconds: 60 });
    await violates('createManagementKey', send('POST', '/v1/management-keys', { ...program, teamId: own }));
  });

  const named = { name: 'x' };
  const namedCalls: Readonly<Record<string, Call>> = Object.fromEntries(
    [
      ['', (id: string) => `/v1/keys/${team}/live/${id}`] as const,
      ['ByQuery', (id: string) => `/v1/keys/${team}/live?externalId=${id}`] as const,
    ].flatMap(([suffix, path]) => [
      [`putKey${suffix}`, { method: 'PUT', path, body: named }],
      [`readNamedKey${suffix}`, { method: 'GET', path }],
      [`revokeNamedKey${suffix}`, { method: 'DELETE', path }],
    ]),
  );

  it.each(Object.keys(namedCalls))('%s', async (operation) => {
    const its = namedCalls[operation] as Call;
    const isPut = operation.startsWith('putKey');
    const expected = answersOf(operation);
    const id = `customer-${operation}`;
    if (isPut) await expected(201, '-', call(its, id));
    else await call(keyWith({ externalId: id }), '');
    await expectRejections(operation, its, id, operation.startsWith('read') ? 'manage_keys' : 'view_team');
    await expected(200, '-', call(its, id));
    if (isPut)
      await expected(412, 'PRECONDITION_FAILED', callWith({ ...its, body: { name: 'y' } }, id, { 'If-Match': '"0"' }));
    else await expected(404, 'KEY_NOT_FOUND', call(its, 'nobody'));
    const twice = `twice-${operation}`;
    for (const externalId of [twice, twice]) await call(keyWith({ externalId }), '');
    await expected(409, 'EXTERNAL_ID_AMBIGUOUS', call(its, twice));
  });

  it.each(['putKey', 'putKeyByQuery'])('%s, with a digest', async (operation) => {
    const its = namedCalls[operation] as Call;
    const expected = answersOf(operation);
    const put = (externalId: string, fields: object) => call({ ...its, body: { name: 'x', ...fields } }, externalId);
    const digest = () => `sha256:${hash('sha256', mintSecret('lk', 'live_c', randomBytes).secret)}`;
    const first = digest();
    const { id } = (await put(`digest-${operation}`, { digest: first })).body;
    await expected(409, 'DIGEST_IN_USE', put(`other-${operation}`, { digest: first }));
    await call(calls.disableKey as Call, id);
    await expected(409, 'KEY_DISABLED', put(`digest-${operation}`, { digest: digest(), overlapSeconds: 60 }));
  });

  it('createWebhook, of one webhook too many', async () => {
    const create = webhookCalls.createWebhook as Call;
    let answer = await call(create, '');
    while (answer.status === 201) answer = await call(create, '');
    await expectAnswer(['createWebhook', 409, 'WEBHOOK_LIMIT_REACHED'], Promise.resolve(answer));
  });

  it('createKey, again', async () => {
    const create = calls.createKey as Call;
    const headers = { 'Idempotency-Key': `"${randomUUID()}"` };
    await expectAnswer(['createKey', 201, '-'], callWith(create, '', headers));
    await expectAnswer(['createKey', 409, 'KEY_ALREADY_CREATED'], callWith(create, '', headers));
    const another = { ...create, body: { ...create.body, name: 'another' } };
    await expectAnswer(['createKey', 422, 'IDEMPOTENCY_KEY_REUSED'], callWith(another, '', headers));
  });

  it('createKey, of one key too many', async () => {
    const create = calls.createKey as Call;
    let answer = await call(create, '');
    while (answer.status === 201) answer = await call(create, '');
    await expectAnswer(['createKey', 409, 'KEY_LIMIT_REACHED'], Promise.resolve(answer));
    for (const operation of ['putKey', 'putKeyByQuery'])
      await expectAnswer([operation, 409, 'KEY_LIMIT_REACHED'], call(namedCalls[operation] as Call, 'one-more'));
  });
});

function tooManyHeaders(url: string, method: string, path: string) {
  return send(url, { method, path, headers: { 'x-padding': 'x'.repeat(70_000) } });
}

const failing: GatewayOptions['verifier'] = {
  verify: () => {
    throw broken();
  },
  find: () => Promise.reject(broken()),
};
const unable: GatewayOptions['verifier'] = {
  verify: (_, respond) => respond.fail(away()),
  find: () => Promise.reject(away()),
};

const tooMany = () =>
  new LatchkeyError('RATE_LIMITED', 'Too many unknown keys came from this source. Try again in 7 s.', {
    retryAfterSeconds: 7,
  });
const limiting: GatewayOptions['verifier'] = {
  verify: (_, respond) => respond.reject(tooMany()),
  find: () => Promise.reject(tooMany()),
};

/** Gives the verdict RATE_LIMITED. */
const rateLimited: GatewayOptions['verifier'] = {
  verify: (_, respond) => {
    const rateLimit = { limit: 1, windowSeconds: 60, remaining: 0, resetSeconds: 7 };
    respond.answer({ code: 'RATE_LIMITED', key: null, rateLimit });
  },
  find: () => Promise.reject(broken()),
};

/** The verification port with another verifier, or another way to revoke, behind it. */
async function askBeside(behind: Partial<GatewayOptions>, call: Sent) {
  const { url } = await startPort({
    verifier: failing,
    revokeOwnKey: () => Promise.reject(broken()),
    authorize: { ...plainRules, convention: call.path?.startsWith('/v1/authorize/') ? 'envoy' : 'traefik' },
    capacity: 1,
    ...behind,
  });
  return await send(url, call);
}

describe('the verification port', () => {
  const latin1 = { 'content-type': 'application/json; charset=iso-8859-1' };
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

  it.each([
    ['verify', { method: 'POST', path: '/v1/verify', body: '{"key": "x"}' }],
    ['authorize', { path: '/v1/authorize?env=test' }],
    ['authorizeEnvoy', { path: '/v1/authorize/test/orders' }],
  ] as const)('%s', async (operation, call: Sent) => {
    const [open, closed] = operation === 'authorizeEnvoy' ? [envoy, guardedEnvoy] : [gateway, guarded];
    const expected = answersOf(operation);
    const { secret } = await open.issue({ env: 'test' });
    const forLive = await open.issue({ env: 'live' });
    const good =
      operation === 'verify'
        ? { ...call, body: JSON.stringify({ key: secret }) }
        : { ...call, headers: bearer(secret) };
    await expected(200, '-', send(open.url, good));
    const bad = operation === 'verify' ? { ...call, body: '{' } : { path: call.path?.replace('test', 'prod') ?? '' };
    await expected(400, 'BAD_USER_INPUT', send(open.url, bad));
    await expected(401, operation === 'verify' ? 'UNAUTHENTICATED' : '-', send(closed.url, call));
    await expected(431, 'HEADERS_TOO_LARGE', tooManyHeaders(open.url, call.method ?? 'GET', call.path ?? ''));
    if (operation === 'verify') {
      await expected(413, 'PAYLOAD_TOO_LARGE', send(open.url, { ...call, body: tooLarge }));
      await expected(415, 'UNSUPPORTED_MEDIA_TYPE', send(open.url, { ...call, headers: latin1 }));
      await expected(429, 'RATE_LIMITED', askBeside({ verifier: limiting }, good));
    } else {
      await expected(403, '-', send(open.url, { ...call, headers: bearer(forLive.secret) }));
      await expected(429, '-', askBeside({ verifier: rateLimited }, good));
    }
    if (operation === 'authorizeEnvoy') await expected(404, 'NOT_FOUND', send(gateway.url, call));
    await expected(500, 'INTERNAL_SERVER_ERROR', askBeside({}, good));
    await expected(503, 'UNAVAILABLE', askBeside({ verifier: unable }, good));
  });

  it('introspect', async () => {
    const { secret } = await gateway.issue();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const call = { method: 'POST', path: '/v1/introspect', headers, body: `token=${secret}` };
    const expected = (status: number, answer: Answering) => expectAnswer(['introspect', status, '-'], answer);
    await expected(200, send(gateway.url, call));
    await expected(400, send(gateway.url, { ...call, body: 'token=' }));
    await expected(401, send(guarded.url, call));
    await expected(413, send(gateway.url, { ...call, body: `token=${tooLarge}` }));
    await expected(415, send(gateway.url, { ...call, headers: { 'content-type': 'application/json' } }));
    await expected(429, askBeside({ verifier: limiting }, call));
    await expectAnswer(['introspect', 431, 'HEADERS_TOO_LARGE'], tooManyHeaders(gateway.url, 'POST', call.path));
    await expected(500, askBeside({}, call));
    await expected(503, askBeside({ verifier: unable }, call));
  });

  it('reportLeaks', async () => {
    const expected = answersOf('reportLeaks');
    const call = { method: 'POST', path: '/v1/leaks', body: '[{"token": "a", "type": "b"}]' };
    await expected(200, '-', send(gateway.url, call));
    await expected(400, 'BAD_USER_INPUT', send(gateway.url, { ...call, body: '[]' }));
    await expected(401, 'UNAUTHENTICATED', send(guarded.url, call));
    await expected(413, 'PAYLOAD_TOO_LARGE', send(gateway.url, { ...call, body: tooLarge }));
    await expected(415, 'UNSUPPORTED_MEDIA_TYPE', send(gateway.url, { ...call, headers: latin1 }));
    await expected(431, 'HEADERS_TOO_LARGE', tooManyHeaders(gateway.url, 'POST', call.path));
    await expected(500, 'INTERNAL_SERVER_ERROR', askBeside({ reportLeaks: () => Promise.reject(broken()) }, call));
    await expected(503, 'UNAVAILABLE', askBeside({ reportLeaks: () => Promise.reject(away()) }, call));
  });

  const self = '/v1/keys/self';

  it.each([
    ['revokeSelf', 'DELETE'],
    ['showSelf', 'GET'],
  ])('%s', async (operation, method) => {
    const expected = answersOf(operation);
    const call = { method, path: self };
    const good = { ...call, headers: bearer((await gateway.issue()).secret) };
    await expected(200, '-', send(gateway.url, good));
    const twice = { Authorization: [good.headers.authorization, 'Bearer other'] };
    await expected(400, 'BAD_USER_INPUT', send(gateway.url, { ...call, headers: twice }));
    await expected(401, 'UNAUTHENTICATED', send(gateway.url, call));
    await expected(431, 'HEADERS_TOO_LARGE', tooManyHeaders(gateway.url, method, self));
    await expected(500, 'INTERNAL_SERVER_ERROR', askBeside({}, good));
    await expected(503, 'UNAVAILABLE', askBeside({ verifier: unable }, good));
    await expected(429, 'RATE_LIMITED', askBeside({ verifier: limiting }, good));
  });

  it('showSelf, of keys that are not valid', async () => {
    const expected = answersOf('showSelf');
    const show = (secret: string) => send(gateway.url, { path: self, headers: bearer(secret) });
    const { management } = gateway.running.service;
    const caller = callerOf({ [gateway.teamId]: both });
    const [rotated, revoked, disabled] = [await gateway.issue(), await gateway.issue(), await gateway.issue()];
    const past = new Date(Date.now() - 60_000);
    const expired = await gateway.issue({ now: past, expiresAt: new Date(past.getTime() + 1000) });
    await rotateKey(management, caller, rotated.id);
    await gateway.revoke(revoked.id);
    await disableKey(management, caller, disabled.id);
    const frozen = await gateway.issue({ externalId: 'frozen' });
    const fence = { teamId: gateway.teamId, reason: 'x', externalId: 'frozen' };
    await freezeKeys(management, caller, fence);
    const codes = { FROZEN: frozen, ROTATED: rotated, REVOKED: revoked, DISABLED: disabled, EXPIRED: expired };
    for (const [code, { secret }] of Object.entries(codes)) await expected(401, code, show(secret));
  });

  it('deriveToken', async () => {
    const expected = answersOf('deriveToken');
    const { management } = gateway.running.service;
    const caller = callerOf({ [gateway.teamId]: both });
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const callWithKey = (key: string, fields: object = {}) => ({
      ...{ method: 'POST', path: '/v1/derive', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({ key, scopes: [], expiresAt, ...fields }),
    });
    const derive = (key: string, fields: object = {}) => send(gateway.url, callWithKey(key, fields));
    const { secret } = await gateway.issue();
    const derived = await derive(secret);
    await expected(201, '-', Promise.resolve(derived));
    await expected(400, 'BAD_USER_INPUT', derive(secret, { label: 'a b' }));
    await expected(401, 'UNAUTHENTICATED', derive('x'));
    const past = new Date(Date.now() - 60_000);
    const ended = {
      REVOKED: await gateway.issue(),
      FROZEN: await gateway.issue({ externalId: 'frozen' }),
      ROTATED: await gateway.issue(),
      DISABLED: await gateway.issue(),
      EXPIRED: await gateway.issue({ now: past, expiresAt: new Date(past.getTime() + 1000) }),
      SIGNATURE_REQUIRED: await gateway.issueSigning(),
    };
    await gateway.revoke(ended.REVOKED.id);
    await rotateKey(management, caller, ended.ROTATED.id);
    await disableKey(management, caller, ended.DISABLED.id);
    await freezeKeys(management, caller, { teamId: gateway.teamId, reason: 'x', externalId: 'frozen' });
    for (const [code, key] of Object.entries(ended)) await expected(401, code, derive(key.secret));
    await expected(403, 'WRONG_ENVIRONMENT', derive(secret, { env: 'test' }));
    await expected(403, 'INSUFFICIENT_SCOPE', derive(secret, { scopes: ['read'] }));
    const elsewhere = await gateway.issue({ allowedIps: ['192.0.2.1'] });
    await expected(403, 'SOURCE_NOT_ALLOWED', derive(elsewhere.secret));
    const good = callWithKey(secret);
    await expected(403, 'FORBIDDEN', askBeside({ derivation: null }, good));
    await expected(413, 'PAYLOAD_TOO_LARGE', send(gateway.url, { ...good, body: tooLarge }));
    await expected(415, 'UNSUPPORTED_MEDIA_TYPE', send(gateway.url, { ...good, headers: latin1 }));
    await expected(431, 'HEADERS_TOO_LARGE', tooManyHeaders(gateway.url, 'POST', good.path));
    const derivation = { tag: 'lk', ring: management.peppers, announce: async () => undefined };
    await expected(429, 'RATE_LIMITED', askBeside({ derivation, verifier: limiting }, good));
    await expected(500, 'INTERNAL_SERVER_ERROR', askBeside({ derivation }, good));
    await expected(503, 'UNAVAILABLE', askBeside({ derivation, verifier: unable }, good));
    const { token } = JSON.parse(derived.body);
    const revoking = { method: 'DELETE', path: self, headers: bearer(token) };
    await answersOf('revokeSelf')(403, 'FORBIDDEN', send(gateway.url, revoking));
  });

  it('health', async () => {
    for (const url of [gateway.url, gateway.running.url]) {
      for (const path of ['/healthz', '/readyz']) {
        const operation = path === '/healthz' ? 'isAlive' : 'isReady';
        await expectAnswer([operation, 200, '-'], send(url, { path }));
        await expectAnswer([operation, 431, 'HEADERS_TOO_LARGE'], tooManyHeaders(url, 'GET', path));
      }
    }
    limited.service.startDraining();
    await expectAnswer(['isReady', 503, '-'], send(limited.url, { path: '/readyz' }));
  });
});

it('a request of any operation that arrives too slowly', async () => {
  const slow = await startGateway('sqlite');
  onTestFinished(() => slow.stop());
  // Node.js looks for slow requests once per second.
  for (const server of [slow.running.server, slow.running.service.gateway]) server.headersTimeout = 1;
  const calls = Object.entries(description.paths).flatMap(([template, { servers, ...item }]) => {
    const path = template.replace('{id}', randomUUID()).replace('{revision}', 'a'.repeat(22)).replace('{env}', 'test');
    const urls =
      servers === undefined ? [slow.running.url] : path.endsWith('z') ? [slow.running.url, slow.url] : [slow.url];
    return Object.entries(item).flatMap(([name, { operationId }]) =>
      urls.map(async (url) => {
        const method = name.toUpperCase();
        // A complete head would be answered at once, if the operation needs no body.
        const [head = '', answer = ''] = (await exchangeBytes(url, `${method} ${path} HTTP/1.1\r\n`)).split('\r\n\r\n');
        const [line = '', ...fields] = head.split('\r\n');
        const headers = new Headers(
          fields.map((field): [string, string] => [field.split(': ')[0] ?? '', field.split(': ')[1] ?? '']),
        );
        const status = Number(line.split(' ')[1]);
        checkExchange({
          method,
          path,
          headers: {},
          body: undefined,
          status,
          header: (field) => headers.get(field),
          answer,
        });
        expect([headers.get('connection'), headers.get('content-length')]).toEqual(['close', String(answer.length)]);
        await expectAnswer([operationId, 408, 'REQUEST_TIMEOUT'], Promise.resolve({ status, body: answer }));
      }),
    );
  });
  await Promise.all(calls);
});

it.each([
  ['verify', '/v1/verify', '{"key": "x"}'],
  ['introspect', '/v1/introspect', 'token=x'],
  ['reportLeaks', '/v1/leaks', '[{"token": "a", "type": "b"}]'],
])('%s of a body that is, or claims to be, compressed', async (operation, path, body) => {
  const type = operation === 'introspect' ? 'application/x-www-form-urlencoded' : 'application/json';
  const ask = (coding: string) =>
    send(gateway.url, { method: 'POST', path, headers: { 'content-type': type, 'content-encoding': coding }, body });
  for (const coding of ['gzip', 'br', 'identity, gzip', 'x']) {
    const { status, headers, body: answer } = await ask(coding);
    expect([status, headers['accept-encoding']]).toEqual([415, 'identity']);
    expect(answer).toContain('The body must not be compressed.');
  }
  for (const coding of ['identity', 'Identity', '']) expect((await ask(coding)).status).toBe(200);
  seen.add(`${operation} 415 UNSUPPORTED_MEDIA_TYPE`);
});

it('a call without a body of its own is answered, also with the Content-Encoding of the request that it is about', async () => {
  const { secret } = await gateway.issue({ env: 'test' });
  const headers = { authorization: `Bearer ${secret}`, 'content-encoding': 'gzip' };
  for (const path of ['/v1/authorize?env=test', '/v1/keys/self']) {
    expect((await send(gateway.url, { path, headers })).status).toBe(200);
  }
});

it('is every status that is documented', () => {
  expect(documented.map((one) => one.join(' ')).filter((one) => !seen.has(one))).toEqual([]);
});
