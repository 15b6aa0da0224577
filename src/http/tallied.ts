import type { RequestListener } from 'node:http';
import type { RequestTallies } from '../metrics/request-tallies.ts';
import { routes } from '../rest/routes.ts';

/** Counts every answer of the management port, those that turn somebody away included. */
export function tallied(requests: RequestTallies, serve: RequestListener): RequestListener {
  return (request, response) => {
    const startedAt = performance.now();
    // Express changes both on its way.
    const { method = '', url = '' } = request;
    response.once('close', () => {
      // Who went away before the answer began has none.
      if (response.headersSent) requests.add(routeOf(method, url), response.statusCode, performance.now() - startedAt);
    });
    serve(request, response);
  };
}

const rest = routes.map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}/?$`),
  route: `${method} ${path}`,
}));
const fixed: ReadonlySet<string> = new Set(['/graphql', '/healthz', '/readyz']);

/** The calls by name, all else as one: the dashboard's files, and whatever anybody puts into a URL. */
function routeOf(method: string, url: string): string {
  const [path = ''] = url.split('?', 1);
  if (fixed.has(path)) return path;
  const asked = method === 'HEAD' ? 'GET' : method;
  return rest.find((call) => call.method === asked && call.pattern.test(path))?.route ?? 'other';
}
