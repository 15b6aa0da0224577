/**
 * The OpenAPI description of both ports, from the routes, schema.graphql, the tables of errors and verdicts, and
 * texts.yaml for what none of these says. Read by `npm run codegen`, which writes it to openapi.yaml.
 */
import { readFileSync } from 'node:fs';
import { buildSchema, type GraphQLField, type GraphQLSchema, getNamedType, isEnumType } from 'graphql';
import { parse, stringify } from 'yaml';
import { errorTable } from '../../domain/errors.ts';
import { typeDefs } from '../../graphql/type-defs.ts';
import type { Route } from '../route.ts';
import { routes } from '../routes.ts';
import { ErrorResponses, type Family } from './error-responses.ts';
import { argumentsOf, asInRest, closed, type Json, objectOf, referTo, type Selections } from './schemas.ts';

interface Texts {
  readonly operations: Readonly<Record<string, OperationTexts>>;
  readonly answers: Readonly<Record<string, Selections>>;
  readonly shared: unknown;
  readonly details: Readonly<Record<Family, Readonly<Record<string, string>>>>;
  readonly paths: Readonly<
    Record<string, { readonly servers?: unknown } & Readonly<Record<string, DescribedOperation>>>
  >;
  readonly components: Readonly<Record<string, Json>>;
}

interface OperationTexts {
  readonly field: string;
  readonly id?: string;
  readonly summary: string;
  readonly description?: string;
  readonly instead?: string;
  readonly parameters?: readonly string[];
  readonly errors?: readonly string[];
  /** Although no field of the body is required alone. */
  readonly needsBody?: boolean;
  readonly answer: {
    readonly status?: number;
    readonly description: string;
    readonly schema: string;
    readonly headers?: Readonly<Record<string, string>>;
  };
}

interface DescribedOperation {
  readonly errors?: { readonly of: Family; readonly codes: readonly string[] };
  readonly responses: Json;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
}

/** Every call of the management port can get these. */
const everywhere = [
  ...['BAD_USER_INPUT', 'UNAUTHENTICATED', 'FORBIDDEN', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
  ...['RATE_LIMITED', 'INTERNAL_SERVER_ERROR', 'UNAVAILABLE'],
];

export function openApiDocument(): Json {
  const { operations, answers, shared, details, paths, components, ...head }: Texts = parse(
    readFileSync(new URL('texts.yaml', import.meta.url), 'utf8'),
    { merge: true },
  );
  const schema = buildSchema(typeDefs);
  const problems = new ErrorResponses(details);
  const bodies: Record<string, Json> = {};
  const described: Record<string, Record<string, Json>> = {};

  const unknown = Object.keys(operations).filter((key) => !routes.some((route) => keyOf(route) === key));
  if (unknown.length > 0) throw new Error(`src/rest/openapi/texts.yaml describes what is no route: ${unknown}`);
  for (const route of routes) {
    const texts = operations[keyOf(route)];
    if (texts === undefined) throw new Error(`src/rest/openapi/texts.yaml does not describe ${keyOf(route)}`);
    const { field: name, id: operationId = name, summary, answer } = texts;
    const field = schema.getQueryType()?.getFields()[name] ?? schema.getMutationType()?.getFields()[name];
    if (field === undefined) throw new Error(`schema.graphql has no field ${name}, which runs at ${keyOf(route)}`);
    const path = route.path.replace(':id', '{id}');
    const entity = path.startsWith('/v1/keys') ? 'KEY' : 'WEBHOOK';
    const hasId = path.includes('{id}');
    const parameters = [...(hasId ? [entity === 'KEY' ? 'KeyId' : 'EndpointId'] : []), ...(texts.parameters ?? [])];
    checkParameters(
      route,
      parameters.map((one) => components.parameters?.[one] as Parameter),
    );
    const said = [field.description, ...field.args.map(({ description }) => description)].join(' ');
    const codes = [
      ...everywhere,
      ...(hasId ? [`${entity}_NOT_FOUND`] : []),
      ...(said.match(/\b[A-Z]+(?:_[A-Z]+)+\b/g) ?? []).filter((word) => word in errorTable),
      ...(texts.errors ?? []),
    ];
    const bodyName = operationId.replace(/^./, (first) => first.toUpperCase());
    const body = bodyOf(route, field, schema);
    // A body that only has fields that can be absent can be absent too.
    const needsBody = texts.needsBody ?? (route.body === 'input' || 'required' in (body ?? {}));
    if (body !== undefined) bodies[bodyName] = body;
    described[path] ??= {};
    described[path][route.method.toLowerCase()] = {
      operationId,
      tags: [entity === 'WEBHOOK' ? 'Webhooks' : path.includes('/signing/') ? 'Request signing' : 'Keys'],
      summary,
      description: texts.instead ?? [asInRest(field.description), texts.description].filter(Boolean).join(' '),
      security: [{ sessionToken: [] }],
      ...(parameters.length === 0 ? {} : { parameters: parameters.map((one) => refer('parameters', one)) }),
      ...(body === undefined ? {} : { requestBody: requestBody(route, referTo(bodyName), needsBody) }),
      responses: {
        [answer.status ?? 200]: {
          description: answer.description,
          headers: {
            'X-Request-Id': refer('headers', 'RequestId'),
            ...mapValues(answer.headers ?? {}, (one) => refer('headers', one)),
          },
          content: { 'application/json': { schema: referTo(answer.schema) } },
        },
        ...problems.of('management', codes, /Needs `(\w+)`/.exec(said)?.[1]),
      },
    };
  }
  const others = mapValues(paths, ({ servers, ...methods }) => ({
    ...(servers === undefined ? {} : { servers }),
    ...mapValues(methods, ({ errors, ...operation }) => ({
      ...operation,
      responses: { ...operation.responses, ...problems.of(errors?.of ?? 'verification', errors?.codes ?? []) },
    })),
  }));
  return {
    ...head,
    paths: { ...described, ...others },
    components: {
      ...components,
      schemas: {
        ...bodies,
        ...mapValues(answers, (selections) => objectOf(schema, selections)),
        ErrorCode: { type: 'string', description: 'The kind of problem, for programs.', enum: Object.keys(errorTable) },
        ...Object.fromEntries(['KeyState', 'VerdictCode'].map((name) => [name, enumOf(schema, name)])),
        ...mapValues(components.schemas ?? {}, completed),
      },
      responses: { ...problems.components, ...components.responses },
    },
  };
}

const keyOf = ({ method, path }: Route) => `${method} ${path}`;

const refer = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });

function mapValues<Value, Result>(values: Readonly<Record<string, Value>>, map: (value: Value) => Result) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
}

/** The JSON object that a route takes; undefined if it takes none. */
function bodyOf({ body }: Route, field: GraphQLField<unknown, unknown>, schema: GraphQLSchema): Json | undefined {
  if (body === undefined || body.length === 0) return undefined;
  if (body !== 'input') return argumentsOf(field, body);
  const type = getNamedType(field.args.find(({ name }) => name === 'input')?.type);
  if (type === undefined) throw new Error(`${field.name} has no argument \`input\``);
  return objectOf(schema, { [type.name]: '*' });
}

function requestBody({ method }: Route, schema: Json, required: boolean): Json {
  const types = ['application/json', ...(method === 'PATCH' ? ['application/merge-patch+json'] : [])];
  return {
    required,
    content: Object.fromEntries(types.map((type) => [type, { schema }])),
  };
}

/** Throws unless the described parameters of a query, and If-Match, are those that the route takes. */
function checkParameters(route: Route, parameters: readonly Parameter[]): void {
  const inQuery = parameters.filter((one) => one.in === 'query').map(({ name }) => name);
  const taken = [...(route.query ?? []), ...(route.lists ?? [])];
  const hasIfMatch = parameters.some(({ name }) => name === 'If-Match');
  if (String(inQuery.sort()) !== String(taken.sort()) || hasIfMatch !== (route.takesIfMatch ?? false)) {
    throw new Error(`src/rest/openapi/texts.yaml has other parameters of ${keyOf(route)} than the route: ${inQuery}`);
  }
}

interface DescribedObject {
  readonly type?: string;
  readonly properties?: Json;
  readonly optional?: readonly string[];
}

function completed(schema: unknown): unknown {
  const { optional = [], ...described } = schema as DescribedObject;
  if (described.properties === undefined || described.type !== undefined) return described;
  const required = Object.keys(described.properties).filter((name) => !optional.includes(name));
  return { ...described, ...closed(described.properties, required) };
}

function enumOf(schema: GraphQLSchema, name: string): Json {
  const type = schema.getType(name);
  if (!isEnumType(type)) throw new Error(`${name} is not an enum`);
  return { type: 'string', description: type.description, enum: type.getValues().map((value) => value.name) };
}

/** The description as it is committed. Aliases would be shorter, but few readers of OpenAPI take them. */
export function openApiText(): string {
  return `# Written by npm run codegen, from src/rest/openapi.\n${stringify(openApiDocument(), { aliasDuplicateObjects: false, lineWidth: 0 })}`;
}
