/** Reads a request body: JSON in UTF-8, limited in size, without repeated fields. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { badInput, LatchkeyError } from '../domain/errors.ts';
import { repeatedField } from '../domain/repeated-field.ts';

const bodyLimitBytes = 64 * 1024;
/** For 100 questions, each with a signed request. */
const listLimitBytes = 128 * 1024;

/** Calls either `use` or `reject`. If `use` throws, `reject` is called with that error. */
export function readJson(
  request: IncomingMessage,
  use: (value: unknown) => void,
  reject: (error: unknown) => void,
  objectLimitBytes = bodyLimitBytes,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  let limit = 0;
  request.on('data', (chunk: Buffer) => {
    if (size === 0) limit = limitOf(chunk, objectLimitBytes);
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    else if (size - chunk.length <= limit) {
      chunks.length = 0;
      reject(new LatchkeyError('PAYLOAD_TOO_LARGE', `The body may have at most ${limit} bytes.`));
    }
  });
  request.on('end', () => {
    if (size > limit) return;
    try {
      const [first] = chunks;
      use(parseJson(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks)));
    } catch (error) {
      reject(error);
    }
  });
}

const [bracket, space] = [0x5b, 0x20];

/** A list may be longer. Text with white space for its whole first part counts as no list. */
function limitOf(start: Buffer, objectLimitBytes: number): number {
  return start.find((byte) => byte > space) === bracket ? listLimitBytes : objectLimitBytes;
}

function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw badInput([{ field: 'body', message: 'must be UTF-8' }]);
  const text = bytes.toString();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badInput([{ field: 'body', message: 'must be valid JSON' }]);
  }
  const repeated = repeatedField(text, value);
  if (repeated !== null) throw badInput([{ field: repeated, message: 'must be given once' }]);
  return value;
}
