/** Sends errors as REST problem documents or as GraphQL responses. */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { ErrorRequestHandler, Request, Response } from 'express';
import { type ErrorCode, errorDetails, errorsPath, errorTable, LatchkeyError, masked } from '../domain/errors.ts';
import { problem } from '../domain/problem.ts';
import { errorMediaType } from '../graphql/media-type.ts';

/** Sends a problem document (RFC 9457). */
export const sendRestError = errorHandler(false);

/** Sends a GraphQL error for a request that failed before it reached GraphQL. */
export const sendGraphQLError = errorHandler(true);

function errorHandler(isGraphQL: boolean): ErrorRequestHandler {
  return (error: unknown, request: Request, response: Response, _next) => {
    // The client has disconnected, which is not an error of the server.
    if (response.destroyed) return;
    const publicError = publicErrorOf(error);
    const { code, cause } = publicError;
    if (code === 'INTERNAL_SERVER_ERROR') request.log.error({ err: cause }, 'request failed');
    else if (cause !== undefined) request.log.warn({ err: cause, code }, 'request rejected');
    // Closes the connection if a part of the response was sent, so that the client sees that it is incomplete.
    if (response.headersSent) response.destroy();
    else writeError(response, publicError, String(request.id), isGraphQL, 'application/problem+json; charset=utf-8');
  };
}

/** Sends an error for a request that has not reached Express. The URL decides between GraphQL and REST format. */
export function sendEarlyError(response: ServerResponse, error: LatchkeyError, url: string): void {
  const requestId = randomUUID();
  response.setHeader('x-request-id', requestId);
  writeError(response, error, requestId, url.startsWith('/graphql'), 'application/problem+json');
  // Reads the rest of the request, so that the connection can be used again.
  response.req.resume();
}

function writeError(
  response: ServerResponse,
  error: LatchkeyError,
  requestId: string,
  isGraphQL: boolean,
  problemType: string,
): void {
  const { code, message, retryAfterSeconds, acceptEncoding } = error;
  const document = isGraphQL
    ? { errors: [{ message, extensions: { code, requestId, ...errorDetails(error) } }] }
    : problem(error, { errorsUrl: errorsPath, requestId });
  const body = JSON.stringify(document);
  response.writeHead(errorTable[code].status, {
    'content-type': isGraphQL ? errorMediaType(response.req.headers.accept) : problemType,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    ...(code === 'UNAUTHENTICATED' ? { 'www-authenticate': 'Bearer' } : {}),
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    ...(acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding }),
  });
  response.end(body);
}

/** Maps the status of an error from Express or its body parser to a public error. */
const codesByStatus: Readonly<Record<number, { readonly code: ErrorCode; readonly message: string }>> = {
  400: { code: 'BAD_USER_INPUT', message: "The request can't be parsed." },
  413: { code: 'PAYLOAD_TOO_LARGE', message: 'The body may have at most <limit> bytes.' },
};

function publicErrorOf(error: unknown): LatchkeyError {
  if (error instanceof LatchkeyError) return error;
  const status: unknown = error instanceof Error ? Reflect.get(error, 'status') : undefined;
  const known = typeof status === 'number' ? codesByStatus[status] : undefined;
  if (known === undefined) return masked(error);
  return new LatchkeyError(known.code, known.message.replace('<limit>', String(Reflect.get(Object(error), 'limit'))));
}
