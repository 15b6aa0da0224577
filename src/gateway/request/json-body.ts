/** Reads request bodies of limited size: JSON in UTF-8 without repeated fields, or lines of such JSON (NDJSON). */
import { isUtf8 } from 'node:buffer';
import { badInput, LatchkeyError } from '../../domain/errors.ts';
import { isReadableAsUtf8, utf8Expected } from '../../lib/content-type.ts';
import { repeatedField } from '../../lib/json-losses.ts';
import { BodyText } from './body-text.ts';
import type { GatewayRequest } from './gateway-request.ts';

export const bodyLimitBytes = 64 * 1024;
/** Enough for 100 verifications, each with a signed request. */
const listLimitBytes = 128 * 1024;

interface BodyLimits {
  readonly objectBytes?: number;
  readonly listBytes?: number;
}

/** Throws UNSUPPORTED_MEDIA_TYPE if the Content-Type names another charset than UTF-8. */
export function checkCharset({ headers }: GatewayRequest): void {
  if (isReadableAsUtf8(headers['content-type'])) return;
  throw new LatchkeyError('UNSUPPORTED_MEDIA_TYPE', utf8Expected);
}

/**
 * Calls either `use` or `reject`. If `use` throws, `reject` is called with that error. Throws UNSUPPORTED_MEDIA_TYPE (see
 * `checkCharset`).
 */
export function readJson(
  request: GatewayRequest,
  use: (value: unknown) => void,
  reject: (error: unknown) => void,
  { objectBytes = bodyLimitBytes, listBytes = listLimitBytes }: BodyLimits = {},
): void {
  checkCharset(request);
  const body = new BodyText(parseJson, use, reject);
  let limitBytes = objectBytes;
  request.readBody({
    take: (chunk) => {
      // Raises the limit for a list, unless the first part of the body is only white space.
      if (body.size === 0 && chunk.find((byte) => byte > space) === bracket) limitBytes = listBytes;
      body.add(chunk, limitBytes, 'The body');
    },
    end: () => body.finish(),
  });
}

interface LineReader {
  readonly line: (value: unknown) => void;
  readonly end: () => void;
  /** Called once: when a line is too long or not valid, or `line` throws. No further line is read. */
  readonly reject: (error: unknown) => void;
}

export function readLines(request: GatewayRequest, { line, end, reject }: LineReader, limitBytes: number): void {
  checkCharset(request);
  const text = new BodyText(parseJson, line, reject);
  request.readBody({
    take: (chunk) => {
      let start = 0;
      for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, start)) {
        text.add(chunk.subarray(start, at), limitBytes, 'A line');
        text.finish();
        start = at + 1;
      }
      if (start < chunk.length) text.add(chunk.subarray(start), limitBytes, 'A line');
    },
    end: () => {
      if (text.size > 0) text.finish();
      if (!text.isRejected) end();
    },
  });
}

const [bracket, space, newline] = [0x5b, 0x20, 0x0a];

export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw badInput([{ field: 'body', message: 'must be UTF-8' }]);
  const text = bytes.toString();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badInput([{ field: 'body', message: 'must be valid JSON' }]);
  }
  const repeated = repeatedField(text, value);
  if (repeated !== null) throw badInput([{ field: repeated.path, message: `must be given ${repeated.expected}` }]);
  return value;
}
