/** Listeners that handle a request before Express does. */
import type { RequestListener } from 'node:http';
import { repeatedHeaderError } from '../domain/repeated-header.ts';
import { plainAddresses } from '../domain/source/forwarded-address.ts';
import { originForm } from '../lib/request-target.ts';
import type { RequestCounters } from '../metrics/request-counters.ts';
import { sendEarlyError } from './errors.ts';
import { routeOf } from './route-of.ts';

/** Counts every response of the management port, including rejections. */
export function countAnswers(requests: RequestCounters, serve: RequestListener): RequestListener {
  return (request, response) => {
    const startedAt = performance.now();
    // Copied, because Express changes the URL.
    const { method = '', url = '' } = request;
    response.once('close', () => {
      // A client that disconnected before the headers were sent got no response.
      if (response.headersSent) requests.add(routeOf(method, url), response.statusCode, performance.now() - startedAt);
    });
    serve(request, response);
  };
}

/** Rejects requests with several `Host` or several `Authorization` headers. */
export function withoutRepeatedHeaders(serve: RequestListener): RequestListener {
  return (request, response) => {
    const error = repeatedHeaderError(request.rawHeaders);
    if (error === null) serve(request, response);
    else sendEarlyError(response, error, request.url ?? '');
  };
}

/** Many times what browsers and libraries send. */
const maxPreferenceCharacters = 1000;

/**
 * Shortens lists that take milliseconds each time that they are read if they are as long as a request head, also for
 * callers without a token. Ignores long lists of preferences, as RFC 9110, section 12.1, allows. Writes the addresses in
 * `X-Forwarded-For` so that Express reads them.
 */
export function withShortLists(serve: RequestListener): RequestListener {
  return (request, response) => {
    const { headers } = request;
    for (const name of ['accept', 'accept-encoding'] as const) {
      if (String(headers[name] ?? '').length > maxPreferenceCharacters) delete headers[name];
    }
    const forwarded = headers['x-forwarded-for'];
    if (forwarded !== undefined) headers['x-forwarded-for'] = plainAddresses(String(forwarded));
    serve(request, response);
  };
}

/** Converts a request target in absolute form to origin form (RFC 9112, section 3.2). */
export function inOriginForm(serve: RequestListener): RequestListener {
  return (request, response) => {
    const absolute = request.url?.startsWith('/') === false ? originForm(request.url) : null;
    if (absolute !== null) {
      request.url = absolute.target;
      request.headers.host = absolute.host;
    }
    serve(request, response);
  };
}
