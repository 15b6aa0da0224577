/** The REST routes. Each runs one GraphQL operation and returns fields of its result. */
import type { IncomingHttpHeaders } from 'node:http';
import type { TypedDocumentString } from './generated/graphql.ts';
import { entityTag, parseIdempotencyHeader, parseIfMatch } from './headers.ts';
import { listDeliveries } from './list-deliveries.ts';
import { listEvents } from './list-events.ts';
import { listKeys } from './list-keys.ts';
import * as operations from './operations.ts';
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
      const { createKey } = await execute(operations.createKey, { input: body, idempotencyKey });
      const { id, name, env, prefix, revision } = createKey.apiKey;
      return {
        status: 201,
        headers: { location: `/v1/keys/${id}`, etag: entityTag(revision) },
        body: { id, name, env, prefix, secret: createKey.secret, ...signingSecretOf(createKey) },
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
      const { revision, ...key } = (await execute(operations.readKey, { id })).key;
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
      const { updateKey } = await execute(operations.updateKey, { id, input: body, ifRevision });
      const { revision, ...key } = updateKey.apiKey;
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
      const { rotateKey } = await execute(operations.rotateKey, { ...body, id, ifRevision });
      const { revision, previousSecretExpiresAt, ...key } = rotateKey.apiKey;
      return {
        headers: { etag: entityTag(revision) },
        body: { ...key, secret: rotateKey.secret, previousSecretExpiresAt },
      };
    },
  },
  change('POST', '/end-overlap', operations.endOverlap),
  change('POST', '/disable', operations.disableKey, ['reason']),
  change('POST', '/enable', operations.enableKey, ['reason']),
  {
    method: 'POST',
    path: '/v1/keys/:id/signing/enable',
    answer: async ({ execute, id }) => ({ body: (await execute(operations.enableSigning, { id })).enableSigning }),
  },
  {
    method: 'POST',
    path: '/v1/keys/:id/signing/rotate',
    body: ['overlapSeconds'],
    answer: async ({ execute, id, body }) => ({
      body: (await execute(operations.rotateSigningSecret, { ...body, id })).rotateSigningSecret,
    }),
  },
  change('POST', '/signing/disable', operations.disableSigning),
  {
    method: 'POST',
    path: '/v1/webhooks',
    body: 'input',
    answer: async ({ execute, body }) => {
      const { webhook, secret } = (await execute(operations.createWebhook, { input: body })).createWebhook;
      return { status: 201, headers: { location: `/v1/webhooks/${webhook.id}` }, body: { ...webhook, secret } };
    },
  },
  {
    method: 'GET',
    path: '/v1/webhooks',
    query: ['teamId'],
    answer: async ({ execute, query: { teamId } }) => ({
      body: (await execute(operations.listWebhooks, { teamId })).webhooks,
    }),
  },
  {
    method: 'PATCH',
    path: '/v1/webhooks/:id',
    body: 'input',
    answer: async ({ execute, id, body }) => ({
      body: (await execute(operations.updateWebhook, { id, input: body })).updateWebhook.webhook,
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
      const { outcome, ...answer } = (await execute(operations.sendTestEvent, { id })).sendTestEvent.delivery;
      return { body: { delivered: outcome === 'DELIVERED', ...answer } };
    },
  },
  {
    method: 'POST',
    path: '/v1/webhooks/:id/rotate-secret',
    body: ['overlapSeconds'],
    answer: async ({ execute, id, body }) => ({
      body: (await execute(operations.rotateWebhookSecret, { ...body, id })).rotateWebhookSecret,
    }),
  },
  {
    method: 'POST',
    path: '/v1/webhooks/:id/replay',
    body: ['eventIds', 'from', 'to'],
    answer: async ({ execute, id, body }) => ({
      body: (await execute(operations.replayEvents, { eventIds: null, from: null, to: null, ...body, id }))
        .replayEvents,
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
  operation: TypedDocumentString<unknown, { readonly id: string }>,
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
function signingSecretOf({ signingSecret }: { readonly signingSecret: string | null }) {
  return signingSecret === null ? {} : { signingSecret };
}
