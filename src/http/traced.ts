import type { RequestHandler } from 'express';
import type { CallSpans } from '../traces/call-spans.ts';
import { traceparentOf } from '../traces/spans.ts';
import { methodOf, routeOf } from './route-of.ts';

/** Records a span for every call of the API, until its response has been sent. Expects `request.id`. */
export function traced(spans: CallSpans): RequestHandler {
  return (request, response, next) => {
    const route = routeOf(request.method, request.originalUrl);
    if (route !== 'other') {
      const id = String(request.id);
      const span = spans.traces.startCall({
        name: route,
        attributes: { 'http.route': route, 'http.request.method': methodOf(request.method), 'latchkey.request_id': id },
        traceparent: traceparentOf(request.headers),
      });
      if (span !== null) {
        spans.begin(id, span);
        response.once('close', () => {
          spans.end(id);
          span.end({ 'http.response.status_code': response.statusCode }, response.statusCode >= 500);
        });
      }
    }
    next();
  };
}
