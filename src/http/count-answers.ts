import type { RequestListener } from 'node:http';
import type { RequestTallies } from '../metrics/request-tallies.ts';
import { routeOf } from './route-of.ts';

/** Counts every answer of the management port, those that turn somebody away included. */
export function countAnswers(requests: RequestTallies, serve: RequestListener): RequestListener {
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
