import type { RequestListener } from 'node:http';
import type { RequestCounters } from '../metrics/request-counters.ts';
import { routeOf } from './route-of.ts';

/** Counts every response of the management port, including rejections. */
export function countAnswers(requests: RequestCounters, serve: RequestListener): RequestListener {
  return (request, response) => {
    const startedAt = performance.now();
    // Copied, because Express changes both.
    const { method = '', url = '' } = request;
    response.once('close', () => {
      // A client that disconnected earlier got no response.
      if (response.headersSent) requests.add(routeOf(method, url), response.statusCode, performance.now() - startedAt);
    });
    serve(request, response);
  };
}
