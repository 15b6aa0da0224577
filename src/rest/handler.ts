import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type NextFunction, type Request, type Response, Router } from 'express';
import { badInput, type FieldError, LatchkeyError } from '../domain/errors.ts';
import { acceptFields } from '../domain/parse-fields.ts';
import type { OperationRunner } from '../graphql/run-operation.ts';
import { isJsonObject } from '../lib/json-object.ts';
import { accepted, type Parsed, rejected } from '../lib/parsed.ts';
import type { Management } from '../manage/management.ts';
import { awaitedEvents } from '../manage/read/read-events.ts';
import { type Executor, executor } from './execute.ts';
import { conditions, type RestRequest, type Route, type WaitForEvents } from './route.ts';
import { routes } from './routes.ts';

type Check = RestRequest<unknown, unknown>['check'];

/** Returns a router for the REST calls. Expects `caller` and `call` in `response.locals`, and a parsed body. */
export function restRouter(runner: OperationRunner, management: Management): Router {
  const executeFor = executor(runner, management);
  const router = Router({ caseSensitive: true });
  for (const path of new Set(routes.map((route) => route.path))) {
    const atPath = routes.filter((route) => route.path === path);
    router.all(path, async (request: Request, response: Response, next: NextFunction) => {
      if (!isPathOf(atPath[0], request.params)) {
        next();
        return;
      }
      // HEAD runs the GET route: Node omits the body.
      const method = request.method === 'HEAD' ? 'GET' : request.method;
      const route = atPath.find((candidate) => candidate.method === method);
      if (route === undefined) {
        response.setHeader('allow', atPath.map((candidate) => candidate.method).join(', '));
        throw new LatchkeyError('METHOD_NOT_ALLOWED', `${request.method} is not supported at this path.`);
      }
      await answer(route, executeFor, management, request, response);
    });
  }
  return router;
}

function isPathOf({ values = {} }: Pick<Route, 'values'> = {}, params: Request['params']): boolean {
  return Object.entries(values).every(([name, known]) => known.includes(String(params[name])));
}

async function answer(
  route: Route,
  executeFor: Executor,
  management: Management,
  request: Request,
  response: Response,
): Promise<void> {
  const { searchParams } = new URL(request.originalUrl, 'http://localhost');
  const { headers } = request;
  const inputErrors: FieldError[] = [];
  const check: Check = (fields) => acceptFields(fields, inputErrors);
  const { query, lists } = parseQuery(route, searchParams, check);
  const body = parseBody(route, headers, request.body, check);
  const { caller, call } = response.locals;
  const execute = executeFor(route.operation, caller, { call, inputErrors });
  const id = typeof request.params.id === 'string' ? request.params.id : undefined;
  const waitForEvents: WaitForEvents = ({ teamId, after, types }, timeoutMs) =>
    call.standAside((signal) =>
      management.waitForEvents(awaitedEvents(management, teamId, after, types), timeoutMs, signal),
    );
  const path = Object.fromEntries(Object.entries(request.params).map(([name, value]) => [name, String(value)]));
  const answered = await route.answer({ execute, check, id, path, query, lists, body, headers, waitForEvents });
  response
    .status(answered.status ?? 200)
    .set(answered.headers ?? {})
    .type(answered.page === undefined ? 'json' : 'html');
  if (answered.page !== undefined) response.end(answered.page);
  else if (Symbol.asyncIterator in answered.body) {
    // Those of `pipeline`, of the layers before and of a trace are more than the 10 of which Node.js warns.
    response.setMaxListeners(20);
    await pipeline(Readable.from(answered.body, { objectMode: true }), response);
  } else {
    // `response.json` could answer 304 to `If-None-Match` after the key was used: tags do not cover usage.
    response.end(JSON.stringify(answered.body));
  }
}

/** Returns the query parameters. Rejects unknown ones, as `parseBody` rejects unknown fields. */
function parseQuery(
  route: Route,
  query: URLSearchParams,
  check: Check,
): Pick<RestRequest<unknown, unknown>, 'query' | 'lists'> {
  const names = new Set(query.keys());
  const listed = (route.lists ?? []).filter((name) => names.delete(name));
  const single = [...names].map((name) => [name, parseParameter(route, name, query.getAll(name))] as const);
  return {
    query: check(Object.fromEntries(single)),
    lists: Object.fromEntries(listed.map((name) => [name, query.getAll(name)])),
  };
}

function parseParameter(route: Route, name: string, values: readonly string[]): Parsed<string> {
  if (!route.query?.includes(name)) return rejected('is not a known parameter');
  const [value, ...more] = values;
  return value === undefined || more.length > 0 ? rejected('must be given once') : accepted(value);
}

const usesOf = { 'If-Match': 'putting, changing and rotating a key', 'If-None-Match': 'putting a key' };

/** Returns the fields of the body. Checks conditional headers, and the parts of the body that GraphQL does not check. */
function parseBody(
  route: Route,
  headers: IncomingHttpHeaders,
  body: unknown,
  check: Check,
): Readonly<Record<string, unknown>> {
  // If the header was ignored, the caller would believe that its condition was met.
  const others = conditions.filter((name) => !(route.conditions ?? []).includes(name) && name.toLowerCase() in headers);
  const misused = others.filter((name) => route.method !== 'GET' || name === 'If-Match');
  check(Object.fromEntries(misused.map((name) => [name, rejected(`is for ${usesOf[name]} only`)])));
  const fields = body === undefined && route.body !== 'input' ? {} : body;
  if (!isJsonObject(fields)) throw badInput([{ field: 'body', message: 'must be a JSON object' }]);
  const known = route.body ?? [];
  const misplaced = (route.elsewhere ?? []).filter((name) => Object.hasOwn(fields, name));
  check(
    Object.fromEntries(misplaced.map((name) => [name, rejected('is a part of the URL, and must not be in the body')])),
  );
  if (known === 'input') return fields;
  const unknown = Object.keys(fields).filter((name) => !known.includes(name));
  check(Object.fromEntries(unknown.slice(0, 10).map((name) => [name, rejected('is not a known field')])));
  return fields;
}
