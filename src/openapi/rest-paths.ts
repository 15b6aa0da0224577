/** The REST calls, from the very table that answers them. */
import type { ErrorCode } from '../domain/errors.ts';
import { ifMatchPattern } from '../rest/entity-tag.ts';
import { idempotencyHeaderPattern } from '../rest/idempotency-key.ts';
import { type RequestHeader, type Route, routes } from '../rest/routes.ts';
import { exampleOf, examples } from './examples.ts';
import { DescribedOperation } from './from-graphql.ts';
import { done, type JsonSchema } from './json-schema.ts';
import { headersOf, refusalResponses } from './refusals.ts';

/** Said before the route is asked, or whatever it is. */
const everywhere: readonly ErrorCode[] = [
  'BAD_USER_INPUT',
  'UNAUTHENTICATED',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'RATE_LIMITED',
  'INTERNAL_SERVER_ERROR',
  'UNAVAILABLE',
];

export function restPaths(): Record<string, JsonSchema> {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeRoute(route) };
  }
  return paths;
}

function describeRoute(route: Route): JsonSchema {
  const operation = new DescribedOperation(route.operation.toString());
  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const parameters = [
    ...inPath.map((name) => parameter(operation, { name, in: 'path' })),
    ...route.query.map((name) => parameter(operation, { name, in: 'query' })),
    ...requestHeaders.flatMap((name) => headerParameter(operation, name, route.headers?.[name])),
  ];
  const body = route.takesBody ? operation.variable('input') : null;
  return {
    operationId: operation.name,
    tags: [route.path.includes('/signing/') ? 'Request signing' : 'Keys'],
    summary: route.summary,
    description: [operation.description, route.description].filter((text) => text !== undefined).join(' '),
    security: [{ sessionToken: [] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === null
      ? {}
      : { requestBody: jsonContent(body.schema, { required: true, description: body.description }) }),
    responses: {
      ...success(route, operation),
      ...refusalResponses({
        port: 'management',
        codes: [...everywhere, ...route.refusals],
        badField: badField(route),
        details:
          operation.name === 'listKeys'
            ? { FORBIDDEN: 'The session token does not grant view_team on this team.' }
            : {},
      }),
    },
  };
}

function parameter(operation: DescribedOperation, { name, in: where }: { readonly name: string; readonly in: string }) {
  const { schema, description, required } = operation.variable(name);
  const example = name === 'limit' ? 50 : name in examples ? Reflect.get(examples, name) : undefined;
  return {
    name,
    in: where,
    description,
    required: where === 'path' || required,
    schema,
    ...(example === undefined ? {} : { example }),
  };
}

const requestHeaders: readonly RequestHeader[] = ['Idempotency-Key', 'If-Match'];

/** How a header spells its variable, which is described for GraphQL. */
const spellings: Readonly<
  Record<RequestHeader, { readonly is: string; readonly schema: JsonSchema; example: string }>
> = {
  'Idempotency-Key': {
    is: 'Between quotes, as a String of RFC 9651, or without them where it has no space, comma or quote.',
    schema: { type: 'string', pattern: idempotencyHeaderPattern },
    example: examples.idempotencyKey,
  },
  'If-Match': {
    is: 'The `ETag` of an answer, or several (RFC 9110, section 13.1.1). `*` is any key that exists; a weak one matches none.',
    schema: { type: 'string', pattern: ifMatchPattern },
    example: examples.etag,
  },
};

function headerParameter(operation: DescribedOperation, name: RequestHeader, variable: string | undefined) {
  if (variable === undefined) return [];
  const { is, schema, example } = spellings[name];
  const description = `${operation.variable(variable).description} ${is}`;
  return [{ name, in: 'header', description, required: false, schema, example }];
}

function success(route: Route, operation: DescribedOperation): Record<string, JsonSchema> {
  const schema = route.fields === null ? done : operation.answer(route.fields, route.etag);
  const created = route.method === 'POST' && route.path === '/v1/keys';
  const headers = {
    ...headersOf('management'),
    ...(created ? { Location: location } : {}),
    ...(route.etag === undefined ? {} : { ETag: entityTag }),
    ...(route.query.includes('cursor') ? { Link: link } : {}),
  };
  const description = created ? 'It is made.' : 'It is done.';
  const example = route.fields === null ? { ok: true } : exampleOf(schema);
  return {
    [created ? '201' : '200']: {
      description: route.method === 'GET' ? 'The keys.' : description,
      headers,
      content: { 'application/json': { schema, example } },
    },
  };
}

const location: JsonSchema = {
  description: 'The path at which the key is changed and revoked.',
  required: true,
  schema: { type: 'string', format: 'uri-reference' },
  example: `/v1/keys/${examples.id}`,
};

const entityTag: JsonSchema = {
  description:
    'Another one whenever the key has changed, by whomever; use changes nothing. To be handed back in `If-Match`, and compared for equality only.',
  required: true,
  schema: { type: 'string', pattern: '^"[\\x21\\x23-\\x7e]+"$' },
  example: examples.etag,
};

const link: JsonSchema = {
  description: 'Where the next page is (RFC 8288). Absent on the last one, and where no page was asked for.',
  schema: { type: 'string', pattern: '^</v1/keys\\?.+>; rel="next"$' },
  example: `</v1/keys?teamId=${examples.teamId}&limit=50&cursor=WzE3NTk>; rel="next"`,
};

function badField({ takesBody, path }: Route) {
  if (takesBody) return { field: 'expiresAt', message: 'must be in the future' };
  if (path.includes(':id'))
    return { field: 'id', message: 'must be a UUID, such as 123e4567-e89b-42d3-a456-426614174000' };
  return { field: 'limit', message: 'must be from 1 to 500' };
}

function jsonContent(schema: JsonSchema, more: JsonSchema): JsonSchema {
  return { ...more, content: { 'application/json': { schema, example: exampleOf(schema) } } };
}
