/** The REST routes. Each runs one GraphQL operation and returns fields of its result. */
import type { IncomingHttpHeaders } from 'node:http';
import { entityTag, parseIdempotencyHeader, parseIfMatch } from './headers.ts';
import { listDeliveries } from './list-deliveries.ts';
import { listEvents } from './list-events.ts';
import { listKeys } from './list-keys.ts';
import * as operations from './operations.ts';
import { pageParameters } from './parameters.ts';
import type { RestOperation } from './rest-operation.ts';
import type { RestRequest, Route } from './route.ts';

export const routes: readonly Route[] = [
  {
    method: 'POST',
    path: '/v1/keys',
    body: 'input',
    answer: async ({ execute, check, body, headers }) => {
      const { 'Idempotency-Key': idempotencyKey } = check({
        'Idempotency-Key': parseIdempotencyHeader(headers['idempotency-key']),
      });
      const created = await execute(operations.createKey, { input: body, idempotencyKey });
      const { id, name, env, prefix, revision } = created.apiKey;
      return {
        status: 201,
        headers: { location: `/v1/keys/${id}`, etag: entityTag(revision) },
        body: { id, name, env, prefix, secret: created.secret, ...signingSecretOf(created) },
      };
    },
  },
  {
    method: 'GET',
    path: '/v1/keys',
    query: ['teamId', 'limit', 'cursor', 'externalId'],
    lists: ['tag', 'state'],
    answer: listKeys,
  },
  {
    method: 'GET',
    path: '/v1/keys/:id',
    answer: async ({ execute, id }) => {
      const { revision, ...key } = await execute(operations.readKey, { id });
      return { headers: { etag: entityTag(revision) }, body: key };
    },
  },
  {
    method: 'PATCH',
    path: '/v1/keys/:id',
    body: 'input',
    takesIfMatch: true,
    answer: async ({ execute, check, id, body, headers }) => {
      const ifRevision = revisionsIn(headers, check);
      const { apiKey } = await execute(operations.updateKey, { id, input: body, ifRevision });
      const { revision, ...key } = apiKey;
      return { headers: { etag: entityTag(revision) }, body: key };
    },
  },
  change('DELETE', '', operations.revokeKey),
  {
    method: 'POST',
    path: '/v1/keys/:id/rotate',
    body: ['overlapSeconds'],
    takesIfMatch: true,
    answer: async ({ execute, check, id, body, headers }) => {
      const ifRevision = revisionsIn(headers, check);
      const { apiKey, secret } = await execute(operations.rotateKey, { ...body, id, ifRevision });
      const { revision, previousSecretExpiresAt, ...key } = apiKey;
      return {
        headers: { etag: entityTag(revision) },
        body: { ...key, secret, previousSecretExpiresAt },
      };
    },
  },
  change('POST', '/end-overlap', operations.endOverlap),
  change('POST', '/disable', operations.disableKey, ['reason']),
  change('POST', '/enable', operations.enableKey, ['reason']),
  {
    method: 'POST',
    path: '/v1/keys/:id/signing/enable',
    answer: async ({ execute, id }) => ({ body: await execute(operations.enableSigning, { id }) }),
  },
  {
    method: 'POST',
    path: '/v1/keys/:id/signing/rotate',
    body: ['overlapSeconds'],
    answer: async ({ execute, id, body }) => ({
      body: await execute(operations.rotateSigningSecret, { ...body, id }),
    }),
  },
  change('POST', '/signing/disable', operations.disableSigning),
  {
    method: 'POST',
    path: '/v1/webhooks',
    body: 'input',
    answer: async ({ execute, body }) => {
      const { webhook, secret } = await execute(operations.createWebhook, { input: body });
      return { status: 201, headers: { location: `/v1/webhooks/${webhook.id}` }, body: { ...webhook, secret } };
    },
  },
  {
    method: 'GET',
    path: '/v1/webhooks',
    query: ['teamId'],
    answer: async ({ execute, query: { teamId } }) => ({
      body: await execute(operations.listWebhooks, { teamId }),
    }),
  },
  {
    method: 'PATCH',
    path: '/v1/webhooks/:id',
    body: 'input',
    answer: async ({ execute, id, body }) => ({
      body: (await execute(operations.updateWebhook, { id, input: body })).webhook,
    }),
  },
  {
    method: 'DELETE',
    path: '/v1/webhooks/:id',
    answer: async ({ execute, id }) => {
      await execute(operations.deleteWebhook, { id });
      return { body: { ok: true } };
    },
  },
  {
    method: 'POST',
    path: '/v1/webhooks/:id/test',
    answer: async ({ execute, id }) => {
      const { outcome, ...answer } = (await execute(operations.sendTestEvent, { id })).delivery;
      return { body: { delivered: outcome === 'DELIVERED', ...answer } };
    },
  },
  {
    method: 'POST',
    path: '/v1/webhooks/:id/rotate-secret',
    body: ['overlapSeconds'],
    answer: async ({ execute, id, body }) => ({
      body: await execute(operations.rotateWebhookSecret, { ...body, id }),
    }),
  },
  {
    method: 'POST',
    path: '/v1/webhooks/:id/replay',
    body: ['eventIds', 'from', 'to'],
    answer: async ({ execute, id, body }) => ({
      body: await execute(operations.replayEvents, { ...body, webhookId: id }, pageParameters),
    }),
  },
  {
    method: 'GET',
    path: '/v1/webhooks/:id/deliveries',
    query: ['limit', 'cursor', 'outcome'],
    answer: listDeliveries,
  },
  {
    method: 'GET',
    path: '/v1/events',
    query: ['teamId', 'after', 'wait', 'types', 'limit'],
    answer: listEvents,
  },
];

/** Returns a route that runs a mutation of a key and answers `{ok: true}`. `body` has the names of optional fields. */
function change(
  method: 'POST' | 'DELETE',
  path: string,
  operation: RestOperation<{ readonly id: string }, unknown>,
  body: readonly string[] = [],
): Route {
  return {
    method,
    path: `/v1/keys/:id${path}`,
    body,
    answer: async ({ execute, id, body: fields }) => {
      await execute(operation, { ...fields, id });
      return { body: { ok: true } };
    },
  };
}

function revisionsIn(headers: IncomingHttpHeaders, check: RestRequest['check']): string[] | undefined {
  return check({ 'If-Match': parseIfMatch(headers['if-match']) })['If-Match'];
}

/** Omits the field unless the new key must sign its requests. */
function signingSecretOf({ signingSecret }: { readonly signingSecret?: string | null | undefined }) {
  return signingSecret == null ? {} : { signingSecret };
}
