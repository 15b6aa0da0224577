/** Rejects what a route does not have with BAD_USER_INPUT, so that no parameter, field or condition is silently ignored. */
import type { IncomingHttpHeaders } from 'node:http';
import { badInput } from '../domain/errors.ts';
import { isJsonObject } from '../lib/json-object.ts';
import { accepted, type Parsed, rejected } from '../lib/parsed.ts';
import type { RestRequest, Route } from './route.ts';

type Check = RestRequest['check'];

/** Returns the query parameters. */
export function parseQuery(route: Route, query: URLSearchParams, check: Check): RestRequest['query'] {
  const names = [...new Set(query.keys())];
  return check(Object.fromEntries(names.map((name) => [name, parseParameter(route, name, query.getAll(name))])));
}

function parseParameter(route: Route, name: string, values: readonly string[]): Parsed<string> {
  if (!route.query.includes(name)) return rejected('is not a known parameter');
  const [value, ...more] = values;
  return value === undefined || more.length > 0 ? rejected('must be given once') : accepted(value);
}

/** Checks the conditional header, and the body as far as GraphQL does not. Returns the fields of the body. */
export function parseBody(
  route: Route,
  headers: IncomingHttpHeaders,
  body: unknown,
  check: Check,
): Readonly<Record<string, unknown>> {
  // An ignored condition would seem to be met.
  const hasCondition = headers['if-match'] !== undefined && !route.takesIfMatch;
  if (hasCondition) check({ 'If-Match': rejected('is for changing and rotating a key only') });
  const fields = body === undefined && route.body !== 'input' ? {} : body;
  if (!isJsonObject(fields)) throw badInput([{ field: 'body', message: 'must be a JSON object' }]);
  const known = route.body;
  if (known === 'input') return fields;
  const unknown = Object.keys(fields).filter((name) => !known.includes(name));
  check(Object.fromEntries(unknown.slice(0, 10).map((name) => [name, rejected('is not a known field')])));
  return fields;
}
