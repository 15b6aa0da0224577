/** The REST routes. Each runs one GraphQL operation and returns fields of its result. */
import { parseFields } from '../domain/parse-fields.ts';
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
    takesBody: true,
    answer: async ({ execute, body, headers }) => {
      const { 'Idempotency-Key': idempotencyKey } = parseFields({
        'Idempotency-Key': parseIdempotencyHeader(headers['idempotency-key']),
      });
      const { createKey } = await execute(operations.createKey, { input: body, idempotencyKey });
      const { id, name, env, prefix, revision } = createKey.apiKey;
      return {
        status: 201,
        headers: { location: `/v1/keys/${id}`, etag: entityTag(revision) },
        body: { id, name, env, prefix, secret: createKey.secret },
      };
    },
  },
  {
    method: 'GET',
    path: '/v1/keys',
    query: ['teamId', 'limit', 'cursor'],
    takesBody: false,
    answer: listKeys,
  },
  {
    method: 'PATCH',
    path: '/v1/keys/:id',
    query: [],
    takesBody: true,
    takesIfMatch: true,
    answer: async ({ execute, id, body, headers }) => {
      const { 'If-Match': ifRevision } = parseFields({ 'If-Match': parseIfMatch(headers['if-match']) });
      const { updateKey } = await execute(operations.updateKey, { id, input: body, ifRevision });
      const { revision, ...key } = updateKey.apiKey;
      return { headers: { etag: entityTag(revision) }, body: key };
    },
  },
  {
    method: 'DELETE',
    path: '/v1/keys/:id',
    query: [],
    takesBody: false,
    answer: async ({ execute, id }) => {
      await execute(operations.revokeKey, { id });
      return ok;
    },
  },
  {
    method: 'POST',
    path: '/v1/keys/:id/signing/enable',
    query: [],
    takesBody: false,
    answer: async ({ execute, id }) => ({ body: (await execute(operations.enableSigning, { id })).enableSigning }),
  },
  {
    method: 'POST',
    path: '/v1/keys/:id/signing/rotate',
    query: [],
    takesBody: false,
    answer: async ({ execute, id }) => ({
      body: (await execute(operations.rotateSigningSecret, { id })).rotateSigningSecret,
    }),
  },
  {
    method: 'POST',
    path: '/v1/keys/:id/signing/disable',
    query: [],
    takesBody: false,
    answer: async ({ execute, id }) => {
      await execute(operations.disableSigning, { id });
      return ok;
    },
  },
];
