/** The REST calls: each one GraphQL operation and the fields of its answer. */
import type { IncomingHttpHeaders } from 'node:http';
import { badInput, type ErrorCode } from '../domain/errors.ts';
import { entityTag, parseIfMatch } from './entity-tag.ts';
import type { Execute } from './execute.ts';
import { parseIdempotencyHeader } from './idempotency-key.ts';
import { listKeys } from './list-keys.ts';
import * as operations from './operations.ts';

export interface RestRequest {
  readonly execute: Execute;
  /** The `:id` of the path. */
  readonly id: string | undefined;
  readonly query: URLSearchParams;
  /** The parsed JSON body; undefined when there was none. */
  readonly body: unknown;
  readonly headers: IncomingHttpHeaders;
}

export interface RestAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** One JSON value, or pieces of JSON text that make one. */
  readonly body: object | AsyncIterable<string>;
}

export type RequestHeader = 'Idempotency-Key' | 'If-Match';

export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly summary: string;
  /** What is to be said of it besides what the schema says of its operation. */
  readonly description?: string;
  /** The GraphQL operation that it runs: its variables are what the route takes. */
  readonly operation: { readonly toString: () => string };
  /** Where in the operation's result the fields of the answer stand; null when it is `{"ok": true}`. */
  readonly fields: readonly string[] | null;
  /** What it refuses besides what every route does. */
  readonly refusals: readonly ErrorCode[];
  readonly query: readonly string[];
  readonly takesBody: boolean;
  /** The request headers that it takes, each with the variable that it becomes. */
  readonly headers?: Readonly<Partial<Record<RequestHeader, string>>>;
  /** The field of the result that is told in `ETag` instead of the body. */
  readonly etag?: 'revision';
  readonly answer: (request: RestRequest) => Promise<RestAnswer>;
}

const ok = { body: { ok: true } };

export const routes: readonly Route[] = [
  {
    method: 'POST',
    path: '/v1/keys',
    summary: 'Create a key',
    operation: operations.createKey,
    fields: ['createKey.apiKey', 'createKey.secret'],
    refusals: ['FORBIDDEN', 'KEY_LIMIT_REACHED', 'KEY_ALREADY_CREATED', 'IDEMPOTENCY_KEY_REUSED'],
    query: [],
    takesBody: true,
    headers: { 'Idempotency-Key': 'idempotencyKey' },
    etag: 'revision',
    answer: async ({ execute, body, headers }) => {
      const idempotencyKey = parseIdempotencyHeader(headers['idempotency-key']);
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
    summary: 'List the keys of a team',
    description: 'Answers all of them, the revoked ones left out, unless `limit` or `cursor` asks for a page.',
    operation: operations.listKeys,
    fields: ['keys.nodes'],
    refusals: ['FORBIDDEN'],
    query: ['teamId', 'limit', 'cursor'],
    takesBody: false,
    answer: listKeys,
  },
  {
    method: 'PATCH',
    path: '/v1/keys/:id',
    summary: 'Change a key',
    operation: operations.updateKey,
    fields: ['updateKey.apiKey'],
    refusals: ['FORBIDDEN', 'KEY_NOT_FOUND', 'KEY_REVOKED', 'PRECONDITION_FAILED'],
    query: [],
    takesBody: true,
    headers: { 'If-Match': 'ifRevision' },
    etag: 'revision',
    answer: async ({ execute, id, body, headers }) => {
      const ifRevision = parseIfMatch(headers['if-match']);
      const { updateKey } = await execute(operations.updateKey, { id, input: body, ifRevision });
      const { revision, ...key } = updateKey.apiKey;
      return { headers: { etag: entityTag(revision) }, body: key };
    },
  },
  {
    method: 'DELETE',
    path: '/v1/keys/:id',
    summary: 'Revoke a key',
    operation: operations.revokeKey,
    fields: null,
    refusals: ['FORBIDDEN', 'KEY_NOT_FOUND'],
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
    summary: 'Demand signed requests',
    operation: operations.enableSigning,
    fields: ['enableSigning.signingSecret'],
    refusals: ['FORBIDDEN', 'KEY_NOT_FOUND', 'KEY_REVOKED', 'SIGNING_ALREADY_ENABLED'],
    query: [],
    takesBody: false,
    answer: async ({ execute, id }) => ({ body: (await execute(operations.enableSigning, { id })).enableSigning }),
  },
  {
    method: 'POST',
    path: '/v1/keys/:id/signing/rotate',
    summary: 'Replace the signing secret',
    operation: operations.rotateSigningSecret,
    fields: ['rotateSigningSecret.signingSecret'],
    refusals: ['FORBIDDEN', 'KEY_NOT_FOUND', 'KEY_REVOKED', 'SIGNING_NOT_ENABLED'],
    query: [],
    takesBody: false,
    answer: async ({ execute, id }) => ({
      body: (await execute(operations.rotateSigningSecret, { id })).rotateSigningSecret,
    }),
  },
  {
    method: 'POST',
    path: '/v1/keys/:id/signing/disable',
    summary: 'Demand signatures no longer',
    operation: operations.disableSigning,
    fields: null,
    refusals: ['FORBIDDEN', 'KEY_NOT_FOUND', 'KEY_REVOKED'],
    query: [],
    takesBody: false,
    answer: async ({ execute, id }) => {
      await execute(operations.disableSigning, { id });
      return ok;
    },
  },
];

/** Refuses by name what a route does not take, so that nothing is silently dropped. */
export function checkShape(
  route: Route,
  { query, body, headers }: Pick<RestRequest, 'query' | 'body' | 'headers'>,
): void {
  const names = [...new Set(query.keys())];
  const errors = [
    ...names
      .filter((name) => !route.query.includes(name))
      .map((field) => ({ field, message: 'is not a known parameter' })),
    ...names
      .filter((field) => query.getAll(field).length > 1)
      .map((field) => ({ field, message: 'must be given once' })),
    // A condition that is not looked at must not seem to hold.
    ...(headers['if-match'] === undefined || route.headers?.['If-Match'] !== undefined
      ? []
      : [{ field: 'If-Match', message: 'is for PATCH only' }]),
  ];
  if (errors.length > 0) throw badInput(errors);
  if (route.takesBody && body === undefined) throw badInput([{ field: 'body', message: 'must be a JSON object' }]);
  if (body === undefined) return;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw badInput([{ field: 'body', message: 'must be a JSON object' }]);
  }
  if (route.takesBody) return;
  const unknown = Object.keys(body).slice(0, 10);
  if (unknown.length > 0) throw badInput(unknown.map((field) => ({ field, message: 'is not a known field' })));
}
