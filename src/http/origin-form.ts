import type { RequestListener } from 'node:http';
import { originForm } from '../domain/request-target.ts';

/** Lets a request target in absolute form be what it is in origin form, to all that comes after. */
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
