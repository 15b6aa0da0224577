/** The REST routes. Each runs one GraphQL operation and returns fields of its result. */
import type { IncomingHttpHeaders } from 'node:http';
import { badInput } from '../domain/errors.ts';
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
  /** A JSON value, or JSON text in pieces. */
  readonly body: object | AsyncIterable<string>;
}

/** A REST route. openapi.yaml describes each. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** The names of its query parameters. */
  readonly query: readonly string[];
  readonly takesBody: boolean;
  readonly takesIfMatch?: true;
  readonly answer: (request: RestRequest) => Promise<RestAnswer>;
}

const ok = { body: { ok: true } };

export const routes: readonly Route[] = [
  {
    method: 'POST',
    path: '/v1/keys',
    query: [],
    takesBody: true,
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
      const ifRevision = parseIfMatch(headers['if-match']);
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

/** Throws BAD_USER_INPUT for unknown parameters, fields and conditions, so that none is silently ignored. */
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
    // An ignored condition would seem to be met.
    ...(headers['if-match'] === undefined || route.takesIfMatch
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
