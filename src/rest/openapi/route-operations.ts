/** The operations of the OpenAPI description that are REST routes. */
import { type GraphQLField, type GraphQLSchema, getNamedType, isInputObjectType } from 'graphql';
import { errorTable } from '../../domain/errors.ts';
import { conditions, type Route } from '../route.ts';
import { routes } from '../routes.ts';
import type { ErrorResponses } from './error-responses.ts';
import { argumentsOf, asInRest, inputObject, type Json, referTo } from './schemas.ts';
import { mapValues, type OperationTexts, type Texts } from './texts.ts';

/** What a route is about: its tag, what NOT_FOUND names, and the parameter of its path. */
const entities = {
  KEY: { path: /^\/v1\/(?:keys|teams)/, tag: 'Keys', id: 'KeyId' },
  CREDENTIAL: { path: /^\/v1\/(?:management-keys|trust-rules)/, tag: 'Access', id: 'CredentialId' },
  RECEIPT: { path: /^\/v1\/receipts/, tag: 'Fences', id: '' },
  FENCE: { path: /^\/v1\/fences/, tag: 'Fences', id: 'FenceId' },
  POLICY: { path: /^\/v1\/policies/, tag: 'Policies', id: '' },
  WEBHOOK: { path: /^/, tag: 'Webhooks', id: 'EndpointId' },
} as const;
type Entity = keyof typeof entities;
const entityNames = Object.keys(entities) as Entity[];

/** A route with what the texts and the schema say of it. */
export interface DescribedRoute {
  readonly route: Route;
  readonly texts: OperationTexts;
  readonly field: GraphQLField<unknown, unknown>;
  readonly operationId: string;
  readonly path: string;
  readonly entity: Entity;
  /** Names of parameters among the components. */
  readonly parameters: readonly string[];
  /** The body, and its name among the schemas; null if the route takes none. */
  readonly body: { readonly name: string; readonly schema: Json } | null;
}

export function describedRoutes({ operations, components }: Texts, schema: GraphQLSchema): readonly DescribedRoute[] {
  const unknown = Object.keys(operations).filter((key) => !routes.some((route) => keyOf(route) === key));
  if (unknown.length > 0) throw new Error(`src/rest/openapi/texts.yaml describes what is no route: ${unknown}`);
  return routes.map((route) => {
    const texts = operations[keyOf(route)];
    if (texts === undefined) throw new Error(`src/rest/openapi/texts.yaml does not describe ${keyOf(route)}`);
    const described = describe(route, texts, schema);
    checkParameters(described, components.parameters);
    return described;
  });
}

function describe(route: Route, texts: OperationTexts, schema: GraphQLSchema): DescribedRoute {
  const { field: name } = route.operation;
  const field = schema.getQueryType()?.getFields()[name] ?? schema.getMutationType()?.getFields()[name];
  if (field === undefined) throw new Error(`schema.graphql has no field ${name}, which runs at ${keyOf(route)}`);
  const operationId = texts.id ?? name;
  const entity = entityNames.find((one) => entities[one].path.test(route.path)) ?? 'KEY';
  const ofPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) =>
    name === 'id' ? entities[entity].id : `${name.replace(/^./, (first) => first.toUpperCase())}InPath`,
  );
  return {
    ...{ route, texts, field, operationId, entity },
    path: route.path.replaceAll(/:(\w+)/g, '{$1}'),
    parameters: [...ofPath, ...(texts.parameters ?? [])],
    body: bodyOf(route, field, operationId),
  };
}

const keyOf = ({ method, path }: Route) => `${method} ${path}`;

const hasId = ({ path }: Route) => path.includes(':id');

/** The JSON object that a route takes. */
function bodyOf(
  { body, elsewhere = [] }: Route,
  field: GraphQLField<unknown, unknown>,
  operationId: string,
): DescribedRoute['body'] {
  if (body === undefined || body.length === 0) return null;
  const name = operationId.replace(/^./, (first) => first.toUpperCase());
  if (body !== 'input') return { name, schema: argumentsOf(field, body) };
  const type = getNamedType(field.args.find((one) => one.name === 'input')?.type);
  if (!isInputObjectType(type)) throw new Error(`${field.name} has no argument \`input\``);
  return { name, schema: inputObject(type, elsewhere) };
}

/** Throws unless the described parameters of a query, and conditional headers, are those that the route takes. */
function checkParameters({ route, parameters }: DescribedRoute, components: Texts['components']['parameters']): void {
  const described = parameters.map((name) => components[name]);
  const inQuery = described.flatMap((one) => (one?.in === 'query' ? [one.name] : []));
  const taken = [...(route.query ?? []), ...(route.lists ?? [])];
  const inHeaders = conditions.filter((condition) => described.some((one) => one?.name === condition));
  if (String(inQuery.sort()) !== String(taken.sort()) || String(inHeaders) !== String(route.conditions ?? [])) {
    throw new Error(`src/rest/openapi/texts.yaml has other parameters of ${keyOf(route)} than the route: ${inQuery}`);
  }
}

export function pathsOf(described: readonly DescribedRoute[], problems: ErrorResponses): Json {
  const paths: Record<string, Json> = {};
  for (const one of described) {
    paths[one.path] = { ...paths[one.path], [one.route.method.toLowerCase()]: operationOf(one, problems) };
  }
  return paths;
}

function operationOf(described: DescribedRoute, problems: ErrorResponses): Json {
  const { texts, field, operationId, path, entity, parameters } = described;
  const { codes, permission } = problemsOf(described);
  return {
    operationId,
    tags: [path.includes('/signing/') ? 'Request signing' : entities[entity].tag],
    summary: texts.summary,
    description: texts.instead ?? [asInRest(field.description), texts.description].filter(Boolean).join(' '),
    security: [{ sessionToken: [] }],
    ...(parameters.length === 0 ? {} : { parameters: parameters.map((one) => refer('parameters', one)) }),
    ...requestBody(described),
    responses: { ...answered(described), ...problems.of('management', codes, permission) },
  };
}

const refer = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });

function requestBody({ route, texts, body }: DescribedRoute): Json {
  if (body === null) return {};
  const types = ['application/json', ...(route.method === 'PATCH' ? ['application/merge-patch+json'] : [])];
  return {
    requestBody: {
      // A body that only has fields that can be absent can be absent too.
      required: texts.needsBody ?? (route.body === 'input' || 'required' in body.schema),
      content: Object.fromEntries(types.map((type) => [type, { schema: referTo(body.name) }])),
    },
  };
}

function answered({ route, texts }: DescribedRoute): Json {
  const { status = 200, created, description, headers = {}, schema } = texts.answer;
  const answer = {
    headers: {
      'X-Request-Id': refer('headers', 'RequestId'),
      ...(route.method === 'GET' ? {} : { 'Latchkey-Revision': refer('headers', 'ChangeRevision') }),
      ...mapValues(headers, (one) => refer('headers', one)),
    },
    content: { 'application/json': { schema: referTo(schema) } },
  };
  return {
    [status]: { description, ...answer },
    ...(created === undefined ? {} : { 201: { description: created, ...answer } }),
  };
}

/** Every call of the management port can get these. */
const everywhere = [
  ...['BAD_USER_INPUT', 'UNAUTHENTICATED', 'FORBIDDEN', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
  ...['RATE_LIMITED', 'INTERNAL_SERVER_ERROR', 'UNAVAILABLE'],
];

/** The codes of problems, and the permission that FORBIDDEN says is lacking: the texts of the field name both. */
function problemsOf({ route, field, texts, entity }: DescribedRoute) {
  const said = [field.description, ...field.args.map(({ description }) => description)].join(' ');
  const named = (said.match(/\b[A-Z]+(?:_[A-Z]+)+\b/g) ?? []).filter((word) => word in errorTable);
  return {
    codes: [...everywhere, ...(hasId(route) ? [`${entity}_NOT_FOUND`] : []), ...named, ...(texts.errors ?? [])],
    permission: /Needs `(\w+)`/.exec(said)?.[1],
  };
}
