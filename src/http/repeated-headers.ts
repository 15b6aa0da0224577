import type { RequestListener } from 'node:http';
import { repeatedHeaderError } from '../domain/repeated-header.ts';
import { sendEarlyError } from './errors.ts';

/** Rejects requests with several `Host` or `Authorization` fields. */
export function withoutRepeatedHeaders(serve: RequestListener): RequestListener {
  return (request, response) => {
    const error = repeatedHeaderError(request.rawHeaders);
    if (error === null) serve(request, response);
    else sendEarlyError(response, error, request.url ?? '');
  };
}
