/** Checks every call that a test makes, and its response, against the OpenAPI description. */
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { parse } from 'yaml';

export interface Exchange {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** As it was sent. */
  readonly body: string | Uint8Array | undefined;
  readonly status: number;
  readonly header: (name: string) => string | null;
  readonly answer: string;
}

interface Described {
  readonly schema: object;
}
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly (Described & { name: string; in: string; required?: boolean })[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Described>> };
  readonly responses: Readonly<Record<string, Reply>>;
}
interface Reply {
  readonly headers?: Readonly<Record<string, Described & { $ref?: string; required?: boolean }>>;
  readonly content?: Readonly<Record<string, Described>>;
}
interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly headers: Readonly<Record<string, Described & { required?: boolean }>>;
    readonly schemas: Readonly<Record<string, object>>;
  };
}

const document = parse(readFileSync('openapi.yaml', 'utf8'));

/** With parameters and responses instead of the references to them; schemas and headers remain references. */
export const description: OpenApiDocument = resolve(document);

function resolve(value: unknown): ReturnType<typeof JSON.parse> {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(resolve);
  const [, kind = '', name = ''] =
    /^#\/components\/(parameters|responses)\/(.*)$/.exec(String(Reflect.get(value, '$ref'))) ?? [];
  if (kind !== '') return resolve(document.components[kind][name]);
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, resolve(part)]));
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema(description, 'openapi', undefined, false);

const compiled = new Map<object, ValidateFunction>();

/** Describes what is wrong with the value; null if it is valid. `schema` is a part of the description. */
export function problemWith(value: unknown, schema: object): string | null {
  let validate = compiled.get(schema);
  if (validate === undefined) {
    validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')));
    compiled.set(schema, validate);
  }
  return validate(value) ? null : ajv.errorsText(validate.errors);
}

/** Responses that are sent before the operation is known. */
const anywhere = [400, 401, 413, 415, 429, 503];

// What is a path as it stands comes before what may be one, as OpenAPI has it.
const byVariables = (a: string, b: string) => Number(a.includes('{')) - Number(b.includes('{'));
const templates = Object.keys(description.paths)
  .sort(byVariables)
  .map((template) => ({
    template,
    // Envoy puts the original path behind the prefix. To Express, a slash at the end and capitals make no difference.
    pattern: new RegExp(`^${patternOf(template)}/?$`, 'is'),
  }));

function patternOf(template: string): string {
  const env = template.startsWith('/v1/authorize') ? '[^/]*(?:/.*)?' : '(?:live|test)';
  return template
    .replace('{env}', env)
    .replace('{id}', '([^/]+)')
    .replace(/\{\w+\}/g, '[^/]+');
}

/** Pages and their files, GraphQL, the description itself, and what has a port of its own. */
const undescribed = /^\/(?:graphql|metrics|openapi(?:\.json)?|index\.html|assets\/.*)?\/?$/i;

/** Throws if the call does not match the description. */
export function checkExchange(exchange: Exchange): void {
  const problems = problemsOf(exchange);
  if (problems.length === 0) return;
  const { method, path, status } = exchange;
  throw new Error(`openapi.yaml disagrees with ${method} ${path.slice(0, 100)} → ${status}: ${problems.join('; ')}`);
}

/** The problems with the first matching path; none if one of the matching paths has none. */
function problemsOf(exchange: Exchange): string[] {
  const [pathname = ''] = exchange.path.split('?', 1);
  if (undescribed.test(pathname) || isNothingHere(exchange)) return [];
  const possible = templates.filter(({ pattern }) => pattern.test(pathname));
  if (possible.length === 0) return [404, ...anywhere].includes(exchange.status) ? [] : ['it has no such path'];
  // Several for /v1/keys/self, whose `self` is not an id at the other port.
  const problems = possible.map(({ template, pattern }) =>
    problemsAt(template, exchange, pattern.exec(pathname)?.[1] ?? ''),
  );
  return problems.find((found) => found.length === 0) ?? problems[0] ?? [];
}

/** The response of each port to paths of the other port. */
function isNothingHere({ status, answer }: Exchange): boolean {
  return status === 404 && answer.includes('"code":"NOT_FOUND"');
}

function problemsAt(template: string, exchange: Exchange, id: string): string[] {
  const { method, status, header, answer } = exchange;
  const operation = operationOf(template, method);
  if (operation === undefined) return [405, ...anywhere].includes(status) ? [] : ['it has no such operation'];
  const reply = operation.responses[status];
  if (reply === undefined) return [`${operation.operationId} has no such status`];
  return [
    ...(status < 300 ? requestProblems(operation, exchange, id) : []),
    ...headerProblems(reply, header),
    ...(method === 'HEAD' ? [] : bodyProblems(reply, header('content-type'), answer)),
  ];
}

function operationOf(template: string, method: string): Operation | undefined {
  const { get, ...others } = description.paths[template] ?? {};
  // HEAD is GET without the body; forward authentication is asked with the method of the original request.
  if (method === 'HEAD' || template.startsWith('/v1/authorize')) return get;
  return { get, ...others }[method.toLowerCase()];
}

/** Checks successful calls only: a rejected call may have any form. */
function requestProblems(operation: Operation, { path, headers, body }: Exchange, id: string): string[] {
  const problems: (string | null)[] = [];
  const query = new URLSearchParams(path.split(/\?(.*)/s)[1]);
  const parameters = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
  // What Envoy passes on is the query of the original request.
  const names = operation.operationId === 'authorizeEnvoy' ? [] : query.keys();
  for (const name of names) {
    if (!parameters.some((parameter) => parameter.name === name)) problems.push(`it has no parameter ${name}`);
  }
  for (const { name, required, schema } of parameters) {
    const value = query.get(name);
    if (value === null) problems.push(required === true ? `${name} is required` : null);
    else problems.push(problemWith(typed(value, query.getAll(name), schema), schema));
  }
  for (const parameter of operation.parameters ?? []) {
    if (parameter.name === 'id') problems.push(problemWith(decodeURIComponent(id), parameter.schema));
    const sent = parameter.in === 'header' ? headers[parameter.name.toLowerCase()] : undefined;
    if (sent !== undefined) problems.push(problemWith(sent, parameter.schema));
  }
  const content = operation.requestBody?.content['application/json'];
  // An absent body is valid if it is optional.
  if (content !== undefined && (body !== undefined || operation.requestBody?.required === true)) {
    const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
    problems.push(problemWith(JSON.parse(text), content.schema));
  }
  const form = operation.requestBody?.content['application/x-www-form-urlencoded'];
  if (form !== undefined) {
    problems.push(problemWith(Object.fromEntries(new URLSearchParams(String(body ?? ''))), form.schema));
  }
  return problems.filter((problem) => problem !== null);
}

/** The value of a query parameter as its schema types it. */
function typed(value: string, all: readonly string[], schema: object): unknown {
  const type: unknown = Reflect.get(schema, 'type');
  if (type === 'array') return all;
  return type === 'integer' ? Number(value) : value;
}

function headerProblems(reply: Reply, header: Exchange['header']): string[] {
  return Object.entries(reply.headers ?? {}).flatMap(([name, given]) => {
    const { required, schema } = description.components.headers[given.$ref?.split('/').at(-1) ?? ''] ?? given;
    const value = header(name);
    if (value === null) return required === true ? [`the header ${name} is missing`] : [];
    const problem = problemWith(Reflect.get(schema, 'type') === 'integer' ? Number(value) : value, schema);
    return problem === null ? [] : [`the header ${name}: ${problem}`];
  });
}

function bodyProblems({ content }: Reply, type: string | null, answer: string): string[] {
  if (answer === '') return content === undefined ? [] : ['a body is missing'];
  const described = content?.[type?.split(';')[0] ?? ''];
  if (described === undefined) return [`it has no ${type}`];
  const problem = problemWith(JSON.parse(answer), described.schema);
  return problem === null ? [] : [`the body: ${problem}`];
}
