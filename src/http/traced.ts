import type { RequestHandler } from 'express';
import { callSpan, type Traces, traceparentOf } from '../traces/spans.ts';
import { methodOf, routeOf } from './route-of.ts';

/** Records a span for every call of the API, until its response has been sent. Expects `request.id`. */
export function traced(traces: Traces): RequestHandler {
  return (request, response, next) => {
    const { method, originalUrl, headers, id } = request;
    const route = routeOf(method, originalUrl);
    if (route === 'other') {
      next();
      return;
    }
    const span = traces.startCall({
      name: route,
      attributes: {
        'http.route': route,
        'http.request.method': methodOf(method),
        'latchkey.request_id': String(id),
      },
      traceparent: traceparentOf(headers),
    });
    if (span === null) {
      next();
      return;
    }
    response.once('close', () => {
      span.end({ 'http.response.status_code': response.statusCode }, response.statusCode >= 500);
    });
    callSpan.run(span, next);
  };
}
