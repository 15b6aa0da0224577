/** Request bodies: JSON in UTF-8, of limited size, of which JSON.parse loses nothing. */
import { PassThrough, Readable } from 'node:stream';
import express, { type Request, type RequestHandler } from 'express';
import { badInput, LatchkeyError, unsupportedCoding } from '../domain/errors.ts';
import { isReadableAsUtf8, utf8Expected } from '../lib/content-type.ts';
import { jsonLoss } from '../lib/json-losses.ts';
import { tooSlow } from '../ports/rejected-requests.ts';

export const bodyLimit = 64 * 1024;

/** Sets `request.body` to the bytes. Parsing is a separate step, because it takes CPU time and needs a slot. */
export const readBody = bodyReader({ limit: bodyLimit });

interface BodyOptions {
  readonly limit: number;
  readonly inflate?: boolean;
  /** Default: that of the whole request. */
  readonly timeoutMs?: number;
  /** Awaited after each part of the body, before the next one is read. Default: parts are read as they arrive. */
  readonly takeBodyTurn?: TakeBodyTurn;
}

export type TakeBodyTurn = (request: Request) => Promise<void>;

/**
 * Returns a handler that sets `request.body` to the bytes, if there are at most `limit`. After `timeoutMs`, rejects the
 * request with REQUEST_TIMEOUT, as the server does for slow requests, and closes the connection.
 */
export function bodyReader({ timeoutMs, takeBodyTurn, ...options }: BodyOptions): RequestHandler {
  const readBytes = express.raw({ type: () => true, ...options });
  const codings = options.inflate === false ? 'identity' : 'gzip, deflate, br';
  return (request, response, next) => {
    const reject = () => {
      response.setHeader('connection', 'close');
      next(tooSlow());
    };
    const timeout = timeoutMs === undefined ? undefined : setTimeout(reject, timeoutMs);
    if (timeout !== undefined) response.once('close', () => clearTimeout(timeout));
    readWith(readBytes, takeBodyTurn, request, response, (error?: unknown) => {
      clearTimeout(timeout);
      // After the timeout, the body ends with an error about the closed connection.
      if (response.headersSent) return;
      next(Reflect.get(Object(error), 'type') === 'encoding.unsupported' ? unsupportedCoding(codings) : error);
    });
  };
}

function readWith(
  readBytes: RequestHandler,
  takeBodyTurn: TakeBodyTurn | undefined,
  ...[request, response, next]: Parameters<RequestHandler>
): void {
  const isHalfClosed = !request.socket.readable && !request.socket.destroyed;
  if (takeBodyTurn === undefined && !isHalfClosed) {
    readBytes(request, response, next);
    return;
  }
  // For a half-closed socket, Express would treat the body as already read. A stream without a socket prevents this.
  const parts =
    takeBodyTurn === undefined ? request.pipe(new PassThrough()) : Readable.from(inTurns(request, takeBodyTurn));
  const body = Object.assign(parts, { headers: request.headers, body: undefined });
  Reflect.apply(readBytes, undefined, [
    body,
    response,
    (error?: unknown) => {
      request.body = body.body;
      next(error);
    },
  ]);
}

/** While a part waits, Node.js keeps the next one and then stops reading. If not, one call could read megabytes. */
async function* inTurns(request: Request, takeBodyTurn: TakeBodyTurn) {
  for await (const part of request.iterator({ destroyOnReturn: false })) {
    await takeBodyTurn(request);
    yield part;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Enough for a revocation over GraphQL. Parsing takes less time than checking a session token. */
const maxShortBytes = 4000;

/** Parses a short body before the request takes a slot, so that it shows whether the request is a revocation. */
export const parseShortBody: RequestHandler = (request, response, next) => {
  const bytes: unknown = request.body;
  if (Buffer.isBuffer(bytes) && bytes.length <= maxShortBytes) parseBody(request, response, next);
  else next();
};

/** Replaces the bytes of the body, if they are not parsed yet, with the JSON, or with undefined if there are none. */
export const parseBody: RequestHandler = (request, _, next) => {
  const bytes: unknown = request.body;
  if (Buffer.isBuffer(bytes) && bytes.length === 0) request.body = undefined;
  else if (Buffer.isBuffer(bytes)) {
    const types = request.method === 'PATCH' ? ['application/json', mergePatch] : ['application/json'];
    if (!request.is(types)) {
      throw new LatchkeyError('UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON, with Content-Type: application/json.');
    }
    request.body = parseJson(bytes, request.headers['content-type']);
  }
  next();
};

/** JSON Merge Patch (RFC 7396). */
const mergePatch = 'application/merge-patch+json';

/**
 * Throws BAD_USER_INPUT unless the bytes are JSON in UTF-8, of which JSON.parse loses nothing that `lossIn` finds, and
 * UNSUPPORTED_MEDIA_TYPE if their Content-Type names another charset.
 */
export function parseJson(bytes: Buffer, contentType: string | undefined, lossIn = jsonLoss): unknown {
  if (!isReadableAsUtf8(contentType)) throw new LatchkeyError('UNSUPPORTED_MEDIA_TYPE', utf8Expected);
  const text = attempt(() => utf8.decode(bytes), 'must be UTF-8');
  const value: unknown = attempt(() => JSON.parse(text), 'must be valid JSON');
  const loss = lossIn(text, value);
  if (loss !== null) throw badInput([{ field: loss.path || 'body', message: `must be given ${loss.expected}` }]);
  return value;
}

function attempt<T>(step: () => T, expectation: string): T {
  try {
    return step();
  } catch {
    throw badInput([{ field: 'body', message: expectation }]);
  }
}
