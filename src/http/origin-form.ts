import type { RequestListener } from 'node:http';
import { originForm } from '../lib/request-target.ts';

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
