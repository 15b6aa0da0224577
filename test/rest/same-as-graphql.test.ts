/** Each REST route returns what its operation returns over GraphQL, and rejects what GraphQL rejects, field by field. */
import { randomUUID } from 'node:crypto';
import { print } from 'graphql';
import { expect, it } from 'vitest';
import type { FieldError } from '../../src/domain/errors.ts';
import { permissions } from '../../src/domain/key/permission.ts';
import { isJsonObject } from '../../src/lib/json-object.ts';
import { routes } from '../../src/rest/routes.ts';
import { inTests } from '../support/in-tests.ts';
import { startReceiver } from '../support/receivers.ts';
import { graphql, rest, sessionToken, startService } from '../support/service.ts';

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const issuer = 'https://ci.example';
const running = inTests(() =>
  startService('sqlite', { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1', TRUSTED_ISSUERS: issuer }),
);
const receiver = inTests(() => startReceiver());

interface Target {
  readonly token: string;
  readonly teamId: string;
  readonly id: string;
  readonly webhookId: string;
  readonly managementKeyId: string;
  readonly trustRuleId: string;
  readonly fenceId: string;
  readonly revision: string;
}

type Variables = Readonly<Record<string, unknown>>;

interface Comparison {
  /** The fields of the path and of the body or the query, from the variables of the operation. Default: all but the id. */
  readonly call?: (variables: Variables) => {
    readonly fields?: unknown;
    /** The query of a call that has a body too. */
    readonly query?: Record<string, string>;
    readonly headers?: Record<string, string>;
  };
  /** The path's `:id`. Default: `id`. */
  readonly idFrom?: 'webhookId';
  readonly valid: (target: Target) => Variables;
  /** Values that replace those of the valid call, each of which is rejected. */
  readonly invalid: readonly Variables[];
  /** Where the requests are signed before the call. */
  readonly isSigned?: true;
  /** The body, from the field of the operation. Default: the field. */
  readonly body?: (field: ReturnType<typeof JSON.parse>) => unknown;
  /** The names of arguments in REST. */
  readonly names?: Readonly<Record<string, string>>;
}

const ok = () => ({ ok: true });
const unknownId = randomUUID();
const wrongId = [{ id: 'x' }, { id: unknownId }, { id: 7 }];
const onlyId = { valid: ({ id }: Target) => ({ id }), invalid: wrongId.slice(0, 2), body: ok };
const ofWebhook = ({ webhookId }: Target) => ({ id: webhookId });
const overlap = [{ overlapSeconds: -1 }, { overlapSeconds: 'x' }, { overlapSeconds: null }, { id: unknownId }];
const withCondition = ({ ifRevision, input, id: _, ...fields }: Variables) => ({
  fields: input ?? fields,
  headers: Array.isArray(ifRevision) ? { 'if-match': ifRevision.map((one) => `"${one}"`).join(', ') } : {},
});
const externalId = 'customer-7';
const ofName = ({ teamId }: Target) => ({ teamId, env: 'live', externalId });
const wrongName = [{ teamId: 'x' }, { teamId: unknownId }, { externalId: 'nobody' }];
const withoutRevision = ({ revision: _, ...key }: Variables) => key;
const putByName: Comparison = {
  call: ({ input, ifRevision }) => {
    const { teamId: _, env: __, externalId: ___, ...fields } = Object(input);
    return withCondition({ input: fields, ifRevision });
  },
  valid: ({ teamId }) => ({ input: { teamId, env: 'live', externalId: 'new', name: 'New', tags: ['a'] } }),
  invalid: [
    { input: { teamId: unknownId, env: 'live', externalId, name: 'A' } },
    { input: { teamId: 'x', env: 'live', externalId, name: 5, digest: 'x', unknown: 1 } },
    { input: { teamId: unknownId, env: 'live', externalId, name: '', digest: 'x', prefix: 'x', overlapSeconds: -1 } },
    { ifRevision: ['x'] },
  ],
  body: ({ apiKey, created: _, secret }) => ({ ...withoutRevision(apiKey), secret }),
};
const byQuery = (comparison: Comparison): Comparison => ({
  ...comparison,
  call: (variables) => ({
    ...(comparison.call?.(variables) ?? {}),
    query: { externalId: String(Object({ ...variables, ...Object(variables.input) }).externalId) },
  }),
});
const nothing = () => ({ fields: {} });
const readByName: Comparison = { call: nothing, valid: ofName, invalid: wrongName, body: withoutRevision };
const revokeByName: Comparison = { call: nothing, valid: ofName, invalid: wrongName, body: ok };
const managementKey = { name: 'Backend', permissions: ['manage_keys'], expiresAt: inDays(30) };
const freeze = { reason: 'A drill', externalId: 'nobody' };
const trustRule = {
  name: 'CI',
  issuer,
  audience: 'latchkey',
  claims: { repository_id: '1' },
  permissions: ['manage_keys'],
};
const listOfTeam: Comparison = {
  valid: ({ teamId }) => ({ teamId }),
  invalid: [{ teamId: 'x' }, { teamId: unknownId }],
};
const page = [{ first: 0 }, { first: 100000 }, { after: 'x' }];
const pageNames = { first: 'limit', after: 'cursor' };

const comparisons: Readonly<Record<string, Comparison>> = {
  'POST /v1/keys': {
    call: ({ input, idempotencyKey }) => ({
      fields: input,
      headers: idempotencyKey === undefined ? {} : { 'idempotency-key': `"${idempotencyKey}"` },
    }),
    valid: ({ teamId }) => ({
      input: { teamId, name: 'Other', env: 'test', tags: ['a'], metadata: { a: [1] }, signing: true },
      idempotencyKey: 'once',
    }),
    invalid: [
      { input: {} },
      { input: { teamId: unknownId, name: 'A key', env: 'live' } },
      { input: { teamId: 'x', name: 5, env: 'LIVE', tags: [5], scopes: [1], unknown: 1, expiresAt: 'never' } },
      {
        input: { teamId: unknownId, name: '', env: 'live', rateLimit: { limit: 0 }, expiresAt: '2020-01-01T00:00:00Z' },
      },
    ],
    body: ({ apiKey: { revision: _, ...key }, ...secrets }) => ({ ...key, ...secrets }),
  },
  'GET /v1/keys': {
    call: ({ teamId, first, after, filter }) => {
      const { externalId, tags, state } = isJsonObject(filter) ? filter : {};
      return { fields: { teamId, limit: first, cursor: after, externalId, tag: tags, state } };
    },
    valid: ({ teamId }) => ({ teamId, first: 10, filter: { state: ['ACTIVE', 'REVOKED'] } }),
    invalid: [
      ...page,
      { teamId: 'x' },
      { teamId: unknownId },
      { filter: { tags: [''] } },
      { filter: { state: ['GONE'] } },
    ],
    body: ({ nodes }) => nodes,
    names: { ...pageNames, 'filter.tags': 'tag', 'filter.externalId': 'externalId' },
  },
  'GET /v1/teams/:teamId/keys': {
    call: ({ first, after, filter }) => {
      const { env, externalId, tags, state } = isJsonObject(filter) ? filter : {};
      return { fields: { limit: first, cursor: after, env, externalId, tag: tags, state } };
    },
    valid: ({ teamId }) => ({ teamId, first: 10, filter: { env: 'live', state: ['ACTIVE', 'REVOKED'] } }),
    invalid: [
      { first: 0 },
      { after: 'x' },
      { teamId: 'x' },
      { teamId: unknownId },
      { filter: { tags: [''] } },
      { filter: { env: 'GONE', state: ['GONE'] } },
    ],
    body: ({ nodes }) => nodes,
    names: { ...pageNames, 'filter.tags': 'tag', 'filter.externalId': 'externalId', 'filter.env': 'env' },
  },
  'PUT /v1/keys/:teamId/:env/:externalId': putByName,
  'GET /v1/keys/:teamId/:env/:externalId': readByName,
  'DELETE /v1/keys/:teamId/:env/:externalId': revokeByName,
  'PUT /v1/keys/:teamId/:env': byQuery(putByName),
  'GET /v1/keys/:teamId/:env': byQuery(readByName),
  'DELETE /v1/keys/:teamId/:env': byQuery(revokeByName),
  'GET /v1/policies/:teamId/:env': {
    call: nothing,
    valid: ({ teamId }) => ({ teamId, env: 'live' }),
    invalid: [{ teamId: unknownId }, { teamId: 'x' }],
  },
  'PUT /v1/policies/:teamId/:env': {
    call: ({ input }) => {
      const { teamId: _, env: __, ...fields } = Object(input);
      return { fields };
    },
    valid: ({ teamId }) => ({ input: { teamId, env: 'live' } }),
    invalid: [
      { input: { teamId: unknownId, env: 'live', requireExpiry: true } },
      { input: { teamId: 'x', env: 'live', requireExpiry: 1, unknown: 1 } },
    ],
    body: ({ policy }) => policy,
  },
  'GET /v1/keys/:id': {
    valid: ({ id }) => ({ id }),
    invalid: wrongId.slice(0, 2),
    body: ({ revision: _, ...key }) => key,
  },
  'PATCH /v1/keys/:id': {
    call: withCondition,
    valid: ({ id }) => ({ id, input: { name: 'Renamed', allowedIps: ['10.0.0.0/8'] } }),
    invalid: [
      ...wrongId.slice(0, 2),
      { input: { name: null, tags: [5], unknown: true } },
      { input: { name: ' ', allowedIps: ['a b'], externalId: '' } },
      { ifRevision: ['x'] },
    ],
    body: ({ apiKey: { revision: _, ...key } }) => key,
  },
  'DELETE /v1/keys/:id': onlyId,
  'POST /v1/keys/:id/rotate': {
    call: withCondition,
    valid: ({ id }) => ({ id, overlapSeconds: 60 }),
    invalid: [...overlap, { ifRevision: ['x'] }],
    body: ({ apiKey: { revision: _, ...key }, secret }) => ({ ...key, secret }),
  },
  'POST /v1/keys/:id/end-overlap': onlyId,
  'POST /v1/keys/:id/disable': {
    ...onlyId,
    invalid: [...wrongId.slice(0, 2), { reason: 5 }, { reason: 'x'.repeat(1000) }],
  },
  'POST /v1/keys/:id/enable': {
    ...onlyId,
    invalid: [{ reason: [] }, { id: unknownId }],
  },
  'POST /v1/keys/:id/signing/enable': {
    valid: ({ id }) => ({ id }),
    invalid: wrongId.slice(0, 2),
  },
  'POST /v1/keys/:id/signing/rotate': {
    isSigned: true,
    valid: ({ id }) => ({ id, overlapSeconds: 60 }),
    invalid: overlap,
  },
  'POST /v1/keys/:id/signing/disable': { isSigned: true, ...onlyId },
  'POST /v1/webhooks': {
    call: ({ input }) => ({ fields: input }),
    valid: ({ teamId }) => ({ input: { teamId, url: 'https://example.com/', types: ['key.created'] } }),
    invalid: [
      { input: { teamId: unknownId, url: 'https://example.com/' } },
      { input: { url: 'ftp://x', types: ['nothing'], form: 'OTHER', unknown: 1 } },
    ],
    body: ({ webhook, secret }) => ({ ...webhook, secret }),
  },
  'GET /v1/webhooks': listOfTeam,
  'POST /v1/management-keys': {
    call: ({ input }) => ({ fields: input }),
    valid: ({ teamId }) => ({ input: { teamId, ...managementKey } }),
    invalid: [
      { input: { teamId: unknownId, ...managementKey } },
      { input: { teamId: 'x', name: 5, permissions: ['manage_access'], expiresAt: 'x', unknown: 1 } },
      { input: { ...managementKey, teamId: unknownId, permissions: ['manage_access'], expiresAt: inDays(400) } },
    ],
    body: ({ managementKey: { id, name, prefix, expiresAt }, secret }) => ({ id, name, prefix, secret, expiresAt }),
  },
  'GET /v1/management-keys': listOfTeam,
  'POST /v1/management-keys/:id/rotate': {
    valid: ({ managementKeyId }) => ({ id: managementKeyId, overlapSeconds: 60 }),
    invalid: overlap,
    body: ({ managementKey: key, secret }) => ({ ...key, secret }),
  },
  'DELETE /v1/management-keys/:id': {
    valid: ({ managementKeyId }) => ({ id: managementKeyId }),
    invalid: wrongId.slice(0, 2),
    body: ok,
  },
  'POST /v1/trust-rules': {
    call: ({ input }) => ({ fields: input }),
    valid: ({ teamId }) => ({ input: { teamId, ...trustRule } }),
    invalid: [
      { input: { teamId: unknownId, ...trustRule } },
      { input: { teamId: 'x', name: 5, claims: 7, unknown: 1 } },
      { input: { ...trustRule, teamId: unknownId, issuer: 'https://other.example', claims: { repository: 'a/*' } } },
    ],
    body: ({ trustRule: rule }) => rule,
  },
  'GET /v1/trust-rules': listOfTeam,
  'DELETE /v1/trust-rules/:id': {
    valid: ({ trustRuleId }) => ({ id: trustRuleId }),
    invalid: wrongId.slice(0, 2),
    body: ok,
  },
  'POST /v1/fences': {
    call: ({ input }) => ({ fields: input }),
    valid: ({ teamId }) => ({ input: { teamId, ...freeze, dryRun: true } }),
    invalid: [
      { input: { teamId: unknownId, ...freeze } },
      { input: { teamId: 'x', reason: 5, unknown: 1 } },
      { input: { teamId: unknownId, reason: '', tags: [], until: '2001-01-01T00:00:00Z' } },
    ],
    body: ({ keys, calls }) => ({ keys, calls }),
  },
  'GET /v1/fences': listOfTeam,
  'GET /v1/receipts/:revision': {
    call: () => ({ fields: {} }),
    valid: ({ revision }) => ({ revision }),
    invalid: [{ revision: 'x' }, { revision: 'A'.repeat(22) }],
  },
  'DELETE /v1/fences/:id': {
    valid: ({ fenceId }) => ({ id: fenceId }),
    invalid: wrongId.slice(0, 2),
    body: ok,
  },
  'PATCH /v1/webhooks/:id': {
    call: ({ input }) => ({ fields: input }),
    valid: (target) => ({ ...ofWebhook(target), input: { description: 'A text' } }),
    invalid: [...wrongId.slice(0, 2), { input: { url: 'x', types: [5], enabled: 'yes' } }],
    body: ({ webhook }) => webhook,
  },
  'DELETE /v1/webhooks/:id': {
    valid: ofWebhook,
    invalid: wrongId.slice(0, 2),
    body: ok,
  },
  'POST /v1/webhooks/:id/test': {
    valid: ofWebhook,
    invalid: wrongId.slice(0, 2),
    body: ({ delivery: { outcome, ...answer } }) => ({ delivered: outcome === 'DELIVERED', ...answer }),
  },
  'POST /v1/webhooks/:id/rotate-secret': {
    valid: (target) => ({ ...ofWebhook(target), overlapSeconds: 60 }),
    invalid: overlap,
  },
  'POST /v1/webhooks/:id/replay': {
    idFrom: 'webhookId',
    valid: ({ webhookId }) => ({ webhookId, from: '2026-01-01T00:00:00Z' }),
    invalid: [
      { webhookId: 'x' },
      { webhookId: unknownId },
      { from: 'x', to: 5 },
      { eventIds: [] },
      { eventIds: ['x'] },
    ],
    names: { webhookId: 'id' },
  },
  'GET /v1/webhooks/:id/deliveries': {
    idFrom: 'webhookId',
    call: ({ first, after, outcome }) => ({ fields: { limit: first, cursor: after, outcome } }),
    valid: ({ webhookId }) => ({ webhookId, first: 10 }),
    invalid: [...page, { webhookId: 'x' }, { webhookId: unknownId }, { outcome: 'LOST' }],
    body: ({ nodes }) => nodes,
    names: { ...pageNames, webhookId: 'id' },
  },
  'GET /v1/events': {
    call: ({ teamId, after, types, first }) => ({
      fields: { teamId, after, types: Array.isArray(types) ? types.join(',') : undefined, limit: first },
    }),
    valid: ({ teamId }) => ({ teamId, first: 10, types: ['key.created'] }),
    invalid: [{ teamId: 'x' }, { teamId: unknownId }, { after: 'x' }, { types: ['nothing'] }, { first: 0 }],
    names: { first: 'limit' },
  },
};

const operations = routes.map(({ method, path, operation }) => [`${method} ${path}`, operation] as const);

it('are compared one and all', () => {
  expect(Object.keys(comparisons).sort()).toEqual(operations.map(([route]) => route).sort());
});

it.each(operations)('%s', async (route, { field, document }) => {
  const comparison = comparisons[route];
  if (comparison === undefined) throw new Error('the route is not compared');
  const { valid, invalid, body = (value) => value } = comparison;
  const overGraphQL = (token: string, variables: Variables) => graphql(running.url, token, print(document), variables);

  // Each on a key and an endpoint of its own, because most of them can be changed only once.
  const [one, other] = [await newTarget(comparison), await newTarget(comparison)];
  const answer = await overRest(route, comparison, one.token, valid(one));
  const operationAnswer = await overGraphQL(other.token, valid(other));
  expect(operationAnswer.body.errors).toBeUndefined();
  expect(masked(answer.body)).toEqual(masked(body(operationAnswer.body.data[field])));

  for (const replaced of invalid) {
    const target = await newTarget(comparison);
    const variables = { ...valid(target), ...replaced };
    const problem = (await overRest(route, comparison, target.token, variables)).body;
    const [error] = (await overGraphQL(target.token, variables)).body.errors;
    expect({ code: problem.code, fields: problem.errors }, JSON.stringify(replaced)).toEqual({
      code: error.extensions.code,
      fields: error.extensions.errors?.map((each: FieldError) => renamed(each, comparison)),
    });
    expect(problem.code).not.toBe('INTERNAL_SERVER_ERROR');
  }
});

async function newTarget({ isSigned }: Comparison): Promise<Target> {
  const teamId = randomUUID();
  const token = sessionToken({ [teamId]: permissions });
  const create = async (path: string, body: object) => (await rest(running.url, token, 'POST', path, body)).body.id;
  const id = await create('/v1/keys', { teamId, name: 'A key', env: 'live', externalId });
  if (isSigned) await rest(running.url, token, 'POST', `/v1/keys/${id}/signing/enable`);
  const webhookId = await create('/v1/webhooks', { teamId, url: receiver.url, types: ['key.revoked'] });
  const managementKeyId = await create('/v1/management-keys', { teamId, ...managementKey });
  const trustRuleId = await create('/v1/trust-rules', { teamId, ...trustRule });
  const fence = await rest(running.url, token, 'POST', '/v1/fences', { teamId, ...freeze });
  const { id: fenceId, revision } = fence.body;
  return { token, teamId, id, webhookId, managementKeyId, trustRuleId, fenceId, revision };
}

async function overRest(route: string, { call, idFrom }: Comparison, token: string, variables: Variables) {
  const [method = '', path = ''] = route.split(' ');
  const { [idFrom ?? 'id']: id, ...others } = variables;
  const { fields = others, query: given = {}, headers } = call?.(variables) ?? {};
  const inPath = Object({ ...variables, ...Object(variables.input), id });
  const query = new URLSearchParams(given);
  const place = path.replaceAll(/:(\w+)/g, (_, name) => encodeURIComponent(inPath[name]));
  const url = query.size > 0 && method !== 'GET' ? `${place}?${query}` : place;
  if (method !== 'GET') {
    const isEmpty = isJsonObject(fields) && Object.keys(fields).length === 0;
    return await rest(running.url, token, method, url, isEmpty && method === 'DELETE' ? undefined : fields, headers);
  }
  for (const [name, value] of Object.entries(Object(fields)))
    for (const text of [value].flat()) if (text !== undefined) query.append(name, String(text));
  return await rest(running.url, token, method, `${url}?${query}`, undefined, headers);
}

function renamed({ field, message }: FieldError, { names = {} }: Comparison): FieldError {
  const [argument = '', index = ''] = field.split(/(?=\[)/, 2);
  return { field: `${names[argument] ?? argument}${index}`, message };
}

/** Replaces what differs between two calls. */
function masked(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'an id')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'a time')
    .replaceAll(/(?:lk_(?:live|test|mgmt)_|whsec_)[\w+/=-]+/g, 'a secret')
    .replaceAll(/"[0-9a-f]{64}"/g, '"a signing secret"')
    .replaceAll(/"durationMs":\d+/g, '"durationMs":0')
    .replaceAll(/"(payload|signature|revision)":"[\w-]+"/g, '"$1":"of a receipt"')
    .replaceAll(/"(id|next)":"[\w-]+"/g, '"$1":"a position"');
  return JSON.parse(text);
}
