/** The REST routes. Each runs one GraphQL operation and returns fields of its result. */
import type { IncomingHttpHeaders } from 'node:http';
import { keyEnvs } from '../domain/key/key-env.ts';
import { receiptPage } from '../domain/receipt/receipt-page.ts';
import { accepted, rejected } from '../lib/parsed.ts';
import { entityTag, parseExistence, parseIdempotencyHeader, parseIfMatch } from './headers.ts';
import { listDeliveries } from './list-deliveries.ts';
import { listEvents } from './list-events.ts';
import { listKeys, listWholeKeys } from './list-keys.ts';
import * as operations from './operations.ts';
import { pageParameters } from './parameters.ts';
import type { RestOperation } from './rest-operation.ts';
import type { RestAnswer, RestRequest, Route, RouteOf } from './route.ts';

/** The key with an external id: as a part of the path, or as a parameter, which takes every external id. */
const namedKey = { path: '/v1/keys/:teamId/:env/:externalId', values: { env: keyEnvs } } as const;
const keyNamedByQuery = { path: '/v1/keys/:teamId/:env', values: { env: keyEnvs }, query: ['externalId'] } as const;

const policyOf = { path: '/v1/policies/:teamId/:env', values: { env: keyEnvs } } as const;

export const routes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/v1/keys',
    body: 'input',
    operation: operations.createKey,
    answer: async ({ execute, check, body, headers }) => {
      const { 'Idempotency-Key': idempotencyKey } = check({
        'Idempotency-Key': parseIdempotencyHeader(headers['idempotency-key']),
      });
      const { apiKey, secret, signingSecret } = await execute({ input: body, idempotencyKey });
      const { revision, ...key } = apiKey;
      return {
        status: 201,
        headers: { location: `/v1/keys/${key.id}`, etag: entityTag(revision) },
        // Without the field unless the new key must sign its requests.
        body: { ...key, secret, ...(signingSecret == null ? {} : { signingSecret }) },
      };
    },
  }),
  route({
    method: 'GET',
    path: '/v1/keys',
    query: ['teamId', 'limit', 'cursor', 'env', 'externalId'],
    lists: ['tag', 'state'],
    operation: operations.listKeys,
    answer: listKeys,
  }),
  route({
    method: 'GET',
    path: '/v1/teams/:teamId/keys',
    query: ['limit', 'cursor', 'env', 'externalId'],
    lists: ['tag', 'state'],
    operation: operations.listWholeKeys,
    answer: listWholeKeys,
  }),
  route({
    method: 'GET',
    path: '/v1/keys/:id',
    operation: operations.readKey,
    answer: async ({ execute, id }) => keyAnswer({ apiKey: await execute({ id }) }),
  }),
  route({
    method: 'PATCH',
    path: '/v1/keys/:id',
    body: 'input',
    conditions: ['If-Match'],
    operation: operations.updateKey,
    answer: async ({ execute, check, id, body, headers }) =>
      keyAnswer(await execute({ id, input: body, ifRevision: revisionsIn(headers, check) })),
  }),
  change('DELETE', '', operations.revokeKey),
  route({
    method: 'POST',
    path: '/v1/keys/:id/rotate',
    body: ['overlapSeconds'],
    conditions: ['If-Match'],
    operation: operations.rotateKey,
    answer: async ({ execute, check, id, body, headers }) =>
      keyAnswer(await execute({ ...body, id, ifRevision: revisionsIn(headers, check) })),
  }),
  change('POST', '/end-overlap', operations.endOverlap),
  change('POST', '/disable', operations.disableKey, ['reason']),
  change('POST', '/enable', operations.enableKey, ['reason']),
  route({
    method: 'POST',
    path: '/v1/keys/:id/signing/enable',
    operation: operations.enableSigning,
    answer: async ({ execute, id }) => ({ body: await execute({ id }) }),
  }),
  route({
    method: 'POST',
    path: '/v1/keys/:id/signing/rotate',
    body: ['overlapSeconds'],
    operation: operations.rotateSigningSecret,
    answer: async ({ execute, id, body }) => ({ body: await execute({ ...body, id }) }),
  }),
  change('POST', '/signing/disable', operations.disableSigning),
  ...[namedKey, keyNamedByQuery].flatMap((place) => [
    route({
      ...place,
      method: 'PUT',
      body: 'input',
      elsewhere: ['teamId', 'env', 'externalId'],
      conditions: ['If-Match', 'If-None-Match'],
      operation: operations.putKey,
      answer: async ({ execute, check, path, query, body, headers }) => {
        const input = { ...body, ...nameIn(path, query, check) };
        const condition = { ifRevision: revisionsIn(headers, check), ifExists: existenceIn(headers, check) };
        const { apiKey, created, secret } = await execute({ input, ...condition });
        const { revision, ...key } = apiKey;
        return {
          status: created ? 201 : 200,
          headers: { etag: entityTag(revision), ...(created ? { location: `/v1/keys/${key.id}` } : {}) },
          // Without the field if the client made the secret, or has it from an earlier answer.
          body: { ...key, ...(secret == null ? {} : { secret }) },
        };
      },
    }),
    route({
      ...place,
      method: 'GET',
      operation: operations.readNamedKey,
      answer: async ({ execute, check, path, query }) =>
        keyAnswer({ apiKey: await execute(nameIn(path, query, check)) }),
    }),
    route({
      ...place,
      method: 'DELETE',
      operation: operations.revokeNamedKey,
      answer: async ({ execute, check, path, query }) => {
        await execute(nameIn(path, query, check));
        return { body: { ok: true } };
      },
    }),
  ]),
  route({
    method: 'POST',
    path: '/v1/webhooks',
    body: 'input',
    operation: operations.createWebhook,
    answer: async ({ execute, body }) => {
      const { webhook, secret } = await execute({ input: body });
      return { status: 201, headers: { location: `/v1/webhooks/${webhook.id}` }, body: { ...webhook, secret } };
    },
  }),
  route({
    method: 'GET',
    path: '/v1/webhooks',
    query: ['teamId'],
    operation: operations.listWebhooks,
    answer: async ({ execute, query: { teamId } }) => ({ body: await execute({ teamId }) }),
  }),
  route({
    method: 'PATCH',
    path: '/v1/webhooks/:id',
    body: 'input',
    operation: operations.updateWebhook,
    answer: async ({ execute, id, body }) => ({ body: (await execute({ id, input: body })).webhook }),
  }),
  route({
    method: 'DELETE',
    path: '/v1/webhooks/:id',
    operation: operations.deleteWebhook,
    answer: async ({ execute, id }) => {
      await execute({ id });
      return { body: { ok: true } };
    },
  }),
  route({
    method: 'POST',
    path: '/v1/webhooks/:id/test',
    operation: operations.sendTestEvent,
    answer: async ({ execute, id }) => {
      const { outcome, ...answer } = (await execute({ id })).delivery;
      return { body: { delivered: outcome === 'DELIVERED', ...answer } };
    },
  }),
  route({
    method: 'POST',
    path: '/v1/webhooks/:id/rotate-secret',
    body: ['overlapSeconds'],
    operation: operations.rotateWebhookSecret,
    answer: async ({ execute, id, body }) => ({ body: await execute({ ...body, id }) }),
  }),
  route({
    method: 'POST',
    path: '/v1/webhooks/:id/replay',
    body: ['eventIds', 'from', 'to', 'failed'],
    operation: operations.replayEvents,
    answer: async ({ execute, id, body }) => ({ body: await execute({ ...body, webhookId: id }, pageParameters) }),
  }),
  route({
    method: 'GET',
    path: '/v1/webhooks/:id/deliveries',
    query: ['limit', 'cursor', 'outcome'],
    operation: operations.listDeliveries,
    answer: listDeliveries,
  }),
  route({
    method: 'POST',
    path: '/v1/management-keys',
    body: 'input',
    operation: operations.createManagementKey,
    answer: async ({ execute, body }) => {
      const { managementKey, secret, signingSecret } = await execute({ input: body });
      const { id, name, prefix, expiresAt } = managementKey;
      return {
        status: 201,
        headers: { location: `/v1/management-keys/${id}` },
        // Without the field unless calls must be signed.
        body: { id, name, prefix, secret, expiresAt, ...(signingSecret == null ? {} : { signingSecret }) },
      };
    },
  }),
  route({
    method: 'GET',
    path: '/v1/management-keys',
    query: ['teamId'],
    operation: operations.listManagementKeys,
    answer: async ({ execute, query: { teamId } }) => ({ body: await execute({ teamId }) }),
  }),
  route({
    method: 'POST',
    path: '/v1/management-keys/:id/rotate',
    body: ['overlapSeconds'],
    operation: operations.rotateManagementKey,
    answer: async ({ execute, id, body }) => {
      const { managementKey, secret } = await execute({ ...body, id });
      return { body: { ...managementKey, secret } };
    },
  }),
  route({
    method: 'DELETE',
    path: '/v1/management-keys/:id',
    operation: operations.revokeManagementKey,
    answer: async ({ execute, id }) => {
      await execute({ id });
      return { body: { ok: true } };
    },
  }),
  route({
    method: 'POST',
    path: '/v1/trust-rules',
    body: 'input',
    operation: operations.createTrustRule,
    answer: async ({ execute, body }) => {
      const { trustRule } = await execute({ input: body });
      return { status: 201, headers: { location: `/v1/trust-rules/${trustRule.id}` }, body: trustRule };
    },
  }),
  route({
    method: 'GET',
    path: '/v1/trust-rules',
    query: ['teamId'],
    operation: operations.listTrustRules,
    answer: async ({ execute, query: { teamId } }) => ({ body: await execute({ teamId }) }),
  }),
  route({
    method: 'DELETE',
    path: '/v1/trust-rules/:id',
    operation: operations.deleteTrustRule,
    answer: async ({ execute, id }) => {
      await execute({ id });
      return { body: { ok: true } };
    },
  }),
  route({
    method: 'GET',
    path: '/v1/receipts/:revision',
    operation: operations.readReceipt,
    answer: async ({ execute, path: { revision }, headers }) => {
      const receipt = await execute({ revision });
      return prefersPage(headers) ? { page: receiptPage(receipt), body: {} } : { body: receipt };
    },
  }),
  route({
    method: 'POST',
    path: '/v1/fences',
    body: 'input',
    operation: operations.freezeKeys,
    answer: async ({ execute, body }) => {
      const { fence, revision, keys, calls } = await execute({ input: body });
      if (fence == null) return { body: { keys, calls } };
      return { status: 201, headers: { location: `/v1/fences/${fence.id}` }, body: { id: fence.id, revision, keys } };
    },
  }),
  route({
    method: 'GET',
    path: '/v1/fences',
    query: ['teamId'],
    operation: operations.listFences,
    answer: async ({ execute, query: { teamId } }) => ({ body: await execute({ teamId }) }),
  }),
  route({
    method: 'DELETE',
    path: '/v1/fences/:id',
    operation: operations.unfreezeKeys,
    answer: async ({ execute, id }) => {
      await execute({ id });
      return { body: { ok: true } };
    },
  }),
  route({
    ...policyOf,
    method: 'GET',
    operation: operations.readKeyPolicy,
    answer: async ({ execute, path: { teamId, env } }) => ({ body: await execute({ teamId, env }) }),
  }),
  route({
    ...policyOf,
    method: 'PUT',
    body: 'input',
    elsewhere: ['teamId', 'env'],
    operation: operations.setKeyPolicy,
    answer: async ({ execute, path: { teamId, env }, body }) => ({
      body: (await execute({ input: { ...body, teamId, env } })).policy,
    }),
  }),
  route({
    method: 'GET',
    path: '/v1/events',
    query: ['teamId', 'after', 'wait', 'types', 'limit'],
    operation: operations.listEvents,
    answer: listEvents,
  }),
];

/** Types `answer` by the operation. */
function route<Arguments extends object, Result>(route: RouteOf<Arguments, Result>): Route {
  return route;
}

/** Returns a route that runs a mutation of a key and answers `{ok: true}`. `body` has the names of optional fields. */
function change(
  method: 'POST' | 'DELETE',
  path: string,
  operation: RestOperation<{ readonly id: string }, unknown>,
  body: readonly string[] = [],
): Route {
  return route({
    method,
    path: `/v1/keys/:id${path}`,
    body,
    operation,
    answer: async ({ execute, id, body: fields }) => {
      await execute({ ...fields, id });
      return { body: { ok: true } };
    },
  });
}

/** Whether the caller is a browser that shows a page. */
function prefersPage({ accept = '' }: IncomingHttpHeaders): boolean {
  return /^text\/html\b/.test(accept);
}

/** Characters that clients and proxies pass on as they are. Others could be decoded, or normalized to another path. */
const plainId = /^(?!\.{1,2}$)[A-Za-z0-9._~:@-]{1,128}$/;

function nameIn(
  { teamId, env, externalId }: RestRequest<unknown, unknown>['path'],
  query: RestRequest<unknown, unknown>['query'],
  check: RestRequest<unknown, unknown>['check'],
) {
  if (externalId === undefined) return { teamId, env, externalId: query.externalId };
  const expected = 'must have 1 to 128 of A-Z a-z 0-9 . _ ~ : @ - in the path: send others as ?externalId=';
  return {
    teamId,
    env,
    ...check({ externalId: plainId.test(externalId) ? accepted(externalId) : rejected(expected) }),
  };
}

function revisionsIn(
  headers: IncomingHttpHeaders,
  check: RestRequest<unknown, unknown>['check'],
): string[] | undefined {
  return check({ 'If-Match': parseIfMatch(headers['if-match']) })['If-Match'];
}

/** Returns whether the key must exist; undefined if it may. */
function existenceIn(headers: IncomingHttpHeaders, check: RestRequest<unknown, unknown>['check']): boolean | undefined {
  return check({ 'If-None-Match': parseExistence(headers) })['If-None-Match'];
}

/** Answers the fields of the key and those beside it. The revision is the tag instead. */
function keyAnswer<Key extends { readonly revision: string }>({
  apiKey: { revision, ...key },
  ...others
}: {
  readonly apiKey: Key;
}): RestAnswer {
  return { headers: { etag: entityTag(revision) }, body: { ...key, ...others } };
}
