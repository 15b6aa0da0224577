/** Which call a request is, by a name from a fixed set: for metrics and traces, where what a URL says must not appear. */
import { routes } from '../rest/routes.ts';

const rest = routes.map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}/?$`),
  route: `${method} ${path}`,
}));
const fixed: ReadonlySet<string> = new Set(['/graphql', '/healthz', '/readyz']);

/** The calls by name, all else as one: the dashboard's files, and whatever anybody puts into a URL. */
export function routeOf(method: string, url: string): string {
  const [path = ''] = url.split('?', 1);
  if (fixed.has(path)) return path;
  const asked = method === 'HEAD' ? 'GET' : method;
  return rest.find((call) => call.method === asked && call.pattern.test(path))?.route ?? 'other';
}

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** By the semantic conventions of OpenTelemetry, any other is `_OTHER`. */
export function methodOf(method: string): string {
  return methods.has(method) ? method : '_OTHER';
}
