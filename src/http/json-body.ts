/** Request bodies: JSON in UTF-8, of a bounded size, without fields that are given twice. */
import express, { type NextFunction, type Request, type Response } from 'express';
import { parse as parseStrictly } from 'lossless-json';
import { badInput, LatchkeyError } from '../domain/errors.ts';

export const bodyLimit = 64 * 1024;

const readBytes = express.raw({ type: () => true, limit: bodyLimit });
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Puts the parsed body on the request, or undefined where there is none. */
export function jsonBody(request: Request, response: Response, next: NextFunction): void {
  readBytes(request, response, (error?: unknown) => {
    if (error !== undefined) return next(error);
    const bytes: unknown = request.body;
    if (!Buffer.isBuffer(bytes) || bytes.length === 0) {
      request.body = undefined;
      return next();
    }
    try {
      if (!request.is('application/json')) {
        throw new LatchkeyError(
          'UNSUPPORTED_MEDIA_TYPE',
          'The body must be JSON, with Content-Type: application/json.',
        );
      }
      request.body = parseJson(bytes);
      next();
    } catch (refusal) {
      next(refusal);
    }
  });
}

function parseJson(bytes: Buffer): unknown {
  const text = attempt(() => utf8.decode(bytes), 'must be UTF-8');
  const value: unknown = attempt(() => JSON.parse(text), 'must be valid JSON');
  // JSON.parse keeps the last of two fields of the same name; a reader, or a gateway before us, may have meant the first.
  attempt(() => parseStrictly(text), 'must not have a field twice with different values, nor be nested too deeply');
  return value;
}

function attempt<T>(step: () => T, expectation: string): T {
  try {
    return step();
  } catch {
    throw badInput([{ field: 'body', message: expectation }]);
  }
}
