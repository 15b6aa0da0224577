/** The REST routes. Each runs one GraphQL operation and returns fields of its result. */
import { entityTag, parseIfMatch } from './entity-tag.ts';
import { parseIdempotencyHeader } from './idempotency-key.ts';
import { listKeys } from './list-keys.ts';
import * as operations from './operations.ts';
import type { Route } from './route.ts';

const ok = { body: { ok: true } };

export const routes: readonly Route[] = [
  {
    method: 'POST',
    path: '/v1/keys',
    query: [],
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
    query: ['teamId', 'limit', 'cursor'],
    body: [],
    answer: listKeys,
  },
  {
    method: 'GET',
    path: '/v1/keys/:id',
    query: [],
    body: [],
    answer: async ({ execute, id }) => {
      const { revision, ...key } = (await execute(operations.readKey, { id })).key;
      return { headers: { etag: entityTag(revision) }, body: key };
    },
  },
  {
    method: 'PATCH',
    path: '/v1/keys/:id',
    query: [],
    body: 'input',
    takesIfMatch: true,
    answer: async ({ execute, check, id, body, headers }) => {
      const { 'If-Match': ifRevision } = check({ 'If-Match': parseIfMatch(headers['if-match']) });
      const { updateKey } = await execute(operations.updateKey, { id, input: body, ifRevision });
      const { revision, ...key } = updateKey.apiKey;
      return { headers: { etag: entityTag(revision) }, body: key };
    },
  },
  {
    method: 'DELETE',
    path: '/v1/keys/:id',
    query: [],
    body: [],
    answer: async ({ execute, id }) => {
      await execute(operations.revokeKey, { id });
      return ok;
    },
  },
  {
    method: 'POST',
    path: '/v1/keys/:id/rotate',
    query: [],
    body: ['overlapSeconds'],
    takesIfMatch: true,
    answer: async ({ execute, check, id, body, headers }) => {
      const { 'If-Match': ifRevision } = check({ 'If-Match': parseIfMatch(headers['if-match']) });
      const { rotateKey } = await execute(operations.rotateKey, { ...body, id, ifRevision });
      const { revision, previousSecretExpiresAt, ...key } = rotateKey.apiKey;
      return {
        headers: { etag: entityTag(revision) },
        body: { ...key, secret: rotateKey.secret, previousSecretExpiresAt },
      };
    },
  },
  {
    method: 'POST',
    path: '/v1/keys/:id/end-overlap',
    query: [],
    body: [],
    answer: async ({ execute, id }) => {
      await execute(operations.endOverlap, { id });
      return ok;
    },
  },
  {
    method: 'POST',
    path: '/v1/keys/:id/disable',
    query: [],
    body: ['reason'],
    answer: async ({ execute, id, body }) => {
      await execute(operations.disableKey, { ...body, id });
      return ok;
    },
  },
  {
    method: 'POST',
    path: '/v1/keys/:id/enable',
    query: [],
    body: ['reason'],
    answer: async ({ execute, id, body }) => {
      await execute(operations.enableKey, { ...body, id });
      return ok;
    },
  },
  {
    method: 'POST',
    path: '/v1/keys/:id/signing/enable',
    query: [],
    body: [],
    answer: async ({ execute, id }) => ({ body: (await execute(operations.enableSigning, { id })).enableSigning }),
  },
  {
    method: 'POST',
    path: '/v1/keys/:id/signing/rotate',
    query: [],
    body: ['overlapSeconds'],
    answer: async ({ execute, id, body }) => ({
      body: (await execute(operations.rotateSigningSecret, { ...body, id })).rotateSigningSecret,
    }),
  },
  {
    method: 'POST',
    path: '/v1/keys/:id/signing/disable',
    query: [],
    body: [],
    answer: async ({ execute, id }) => {
      await execute(operations.disableSigning, { id });
      return ok;
    },
  },
];

/** A new key has the field only if its requests must be signed. */
function signingSecretOf({ signingSecret }: { readonly signingSecret: string | null }) {
  return signingSecret === null ? {} : { signingSecret };
}
