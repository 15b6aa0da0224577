/** How each door says no. */
import type { ErrorRequestHandler, Request, Response } from 'express';
import { type ErrorCode, errorTable, LatchkeyError } from '../domain/errors.ts';
import { problem } from '../domain/problem.ts';
import { errorMediaType } from '../graphql/media-type.ts';
import { bodyLimit } from './json-body.ts';

type Write = (response: Response, publicError: LatchkeyError, requestId: string) => void;

/** RFC 9457. */
export const sendRestError = errorHandler((response, publicError, requestId) => {
  response.type('application/problem+json').send(JSON.stringify(problem(publicError, requestId)));
});

/** For what fails before GraphQL has the request. */
export const sendGraphQLError = errorHandler((response, publicError, requestId) => {
  response
    .type(errorMediaType(response.req.headers.accept))
    .send(JSON.stringify(graphqlProblem(publicError, requestId)));
});

/** A publicError in the shape of a GraphQL answer. */
export function graphqlProblem({ code, message, fields }: LatchkeyError, requestId: string) {
  const extensions = { code, requestId, ...(fields.length === 0 ? {} : { errors: fields }) };
  return { errors: [{ message, extensions }] };
}

function errorHandler(write: Write): ErrorRequestHandler {
  return (error: unknown, request: Request, response: Response, _next) => {
    // The caller has gone away: there is nobody to answer, and nothing went wrong on our side.
    if (response.destroyed) return;
    const publicError = publicErrorOf(error);
    // A refusal that came out of GraphQL was logged there.
    if (publicError !== error && publicError.code === 'INTERNAL_SERVER_ERROR')
      request.log.error({ err: error }, 'request failed');
    else if (publicError.cause !== undefined)
      request.log.warn({ err: publicError.cause, code: publicError.code }, 'request refused');
    // Half an answer is out already: cut it off, so that it can't pass for a whole one.
    if (response.headersSent) {
      response.destroy();
      return;
    }
    response.status(errorTable[publicError.code].status).setHeader('cache-control', 'no-store');
    if (publicError.code === 'UNAUTHENTICATED') response.setHeader('www-authenticate', 'Bearer');
    if (publicError.retryAfterSeconds !== undefined)
      response.setHeader('retry-after', String(publicError.retryAfterSeconds));
    write(response, publicError, String(request.id));
  };
}

/** Statuses that Express and its body parser give to requests they can't take. */
const codesByStatus: Readonly<Record<number, { readonly code: ErrorCode; readonly message: string }>> = {
  400: { code: 'BAD_USER_INPUT', message: "The request can't be read." },
  413: { code: 'PAYLOAD_TOO_LARGE', message: `The body may have at most ${bodyLimit} bytes.` },
  415: { code: 'UNSUPPORTED_MEDIA_TYPE', message: 'The body has a content encoding that is not understood.' },
};

function publicErrorOf(error: unknown): LatchkeyError {
  if (error instanceof LatchkeyError) return error;
  const status: unknown = error instanceof Error ? Reflect.get(error, 'status') : undefined;
  const known = typeof status === 'number' ? codesByStatus[status] : undefined;
  if (known !== undefined) return new LatchkeyError(known.code, known.message);
  return new LatchkeyError('INTERNAL_SERVER_ERROR', 'Something went wrong on our side.');
}
