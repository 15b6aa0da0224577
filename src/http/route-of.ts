/** Maps requests to a fixed set of route names, for metrics and traces, which must not contain URLs of clients. */
import { routes } from '../rest/routes.ts';

const rest = routes.map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}/?$`),
  route: `${method} ${path}`,
}));
/** Where GitHub reports leaked keys. */
export const githubLeaksPath = '/v1/leaks/github';

const fixed: ReadonlySet<string> = new Set([
  '/graphql',
  '/healthz',
  '/readyz',
  '/session',
  '/session/renew',
  '/session/viewer',
  '/session/sign-in',
  '/session/callback',
  '/session/back-channel-logout',
  githubLeaksPath,
]);

/** Returns the route name of an API call, or `other` for all other URLs, such as files of the dashboard. */
export function routeOf(method: string, url: string): string {
  const [path = ''] = url.split('?', 1);
  if (fixed.has(path)) return path;
  const routed = method === 'HEAD' ? 'GET' : method;
  return rest.find((call) => call.method === routed && call.pattern.test(path))?.route ?? 'other';
}

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Returns the method, or `_OTHER` for unknown methods, as in the semantic conventions of OpenTelemetry. */
export function methodOf(method: string): string {
  return methods.has(method) ? method : '_OTHER';
}
