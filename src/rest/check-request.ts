/** Rejects what a route does not have with BAD_USER_INPUT, so that no parameter, field or condition is silently ignored. */
import type { IncomingHttpHeaders } from 'node:http';
import { parseFields } from '../domain/parse-fields.ts';
import { accepted, type Parsed, rejected } from '../domain/parsed.ts';
import type { Route } from './route.ts';

/** Returns the query parameters. */
export function parseQuery(route: Route, query: URLSearchParams): Readonly<Record<string, string>> {
  const names = [...new Set(query.keys())];
  return parseFields(Object.fromEntries(names.map((name) => [name, parseParameter(route, name, query.getAll(name))])));
}

function parseParameter(route: Route, name: string, values: readonly string[]): Parsed<string> {
  if (!route.query.includes(name)) return rejected('is not a known parameter');
  const [value, ...more] = values;
  return value === undefined || more.length > 0 ? rejected('must be given once') : accepted(value);
}

/** Checks the conditional header, and the body as far as GraphQL does not. */
export function checkRequest(route: Route, headers: IncomingHttpHeaders, body: unknown): void {
  // An ignored condition would seem to be met.
  const hasCondition = headers['if-match'] !== undefined && !route.takesIfMatch;
  parseFields({
    'If-Match': hasCondition ? rejected('is for PATCH only') : accepted(null),
    body:
      isObject(body) || (body === undefined && !route.takesBody) ? accepted(null) : rejected('must be a JSON object'),
  });
  if (!isObject(body) || route.takesBody) return;
  const unknown = Object.keys(body).slice(0, 10);
  parseFields(Object.fromEntries(unknown.map((name) => [name, rejected('is not a known field')])));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
