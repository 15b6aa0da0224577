/** How each door says no. */
import type { ErrorRequestHandler, Request, Response } from 'express';
import { type ErrorCode, errorTable, LatchkeyError } from '../domain/errors.ts';
import { problem } from '../domain/problem.ts';
import { refusalMediaType } from '../graphql/media-type.ts';
import { bodyLimit } from './json-body.ts';

type Write = (response: Response, refusal: LatchkeyError, requestId: string) => void;

/** RFC 9457. */
export const refuseRest = errorHandler((response, refusal, requestId) => {
  response.type('application/problem+json').send(JSON.stringify(problem(refusal, requestId)));
});

/** For what fails before GraphQL has the request. */
export const refuseGraphQL = errorHandler((response, refusal, requestId) => {
  response.type(refusalMediaType(response.req.headers.accept)).send(JSON.stringify(graphqlProblem(refusal, requestId)));
});

/** A refusal in the shape of a GraphQL answer. */
export function graphqlProblem({ code, message, fields }: LatchkeyError, requestId: string) {
  const extensions = { code, requestId, ...(fields.length === 0 ? {} : { errors: fields }) };
  return { errors: [{ message, extensions }] };
}

function errorHandler(write: Write): ErrorRequestHandler {
  return (error: unknown, request: Request, response: Response, _next) => {
    // The caller has gone away: there is nobody to answer, and nothing went wrong on our side.
    if (response.destroyed) return;
    const refusal = asRefusal(error);
    // A refusal that came out of GraphQL was logged there.
    if (refusal !== error && refusal.code === 'INTERNAL_SERVER_ERROR')
      request.log.error({ err: error }, 'request failed');
    else if (refusal.cause !== undefined)
      request.log.warn({ err: refusal.cause, code: refusal.code }, 'request refused');
    // Half an answer is out already: cut it off, so that it can't pass for a whole one.
    if (response.headersSent) {
      response.destroy();
      return;
    }
    response.status(errorTable[refusal.code].status).setHeader('cache-control', 'no-store');
    if (refusal.code === 'UNAUTHENTICATED') response.setHeader('www-authenticate', 'Bearer');
    if (refusal.retryAfterSeconds !== undefined) response.setHeader('retry-after', String(refusal.retryAfterSeconds));
    write(response, refusal, String(request.id));
  };
}

/** Statuses that Express and its body parser give to requests they can't take. */
const codesByStatus: Readonly<Record<number, { readonly code: ErrorCode; readonly message: string }>> = {
  400: { code: 'BAD_USER_INPUT', message: "The request can't be read." },
  413: { code: 'PAYLOAD_TOO_LARGE', message: `The body may have at most ${bodyLimit} bytes.` },
  415: { code: 'UNSUPPORTED_MEDIA_TYPE', message: 'The body has a content encoding that is not understood.' },
};

function asRefusal(error: unknown): LatchkeyError {
  if (error instanceof LatchkeyError) return error;
  const status: unknown = error instanceof Error ? Reflect.get(error, 'status') : undefined;
  const known = typeof status === 'number' ? codesByStatus[status] : undefined;
  if (known !== undefined) return new LatchkeyError(known.code, known.message);
  return new LatchkeyError('INTERNAL_SERVER_ERROR', 'Something went wrong on our side.');
}
