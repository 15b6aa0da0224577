/** The body of a call: JSON in UTF-8, of a bounded size, without fields that are given twice. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { badInput, LatchkeyError } from '../domain/errors.ts';
import { repeatedField } from '../domain/repeated-field.ts';

const bodyLimit = 64 * 1024;

/** Calls `refuse` at most once, and then not `use`; also with what `use` throws. */
export function readJson(
  request: IncomingMessage,
  use: (value: unknown) => void,
  refuse: (error: unknown) => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= bodyLimit) chunks.push(chunk);
    else if (size - chunk.length <= bodyLimit) {
      chunks.length = 0;
      refuse(new LatchkeyError('PAYLOAD_TOO_LARGE', `The body may have at most ${bodyLimit} bytes.`));
    }
  });
  request.on('end', () => {
    if (size > bodyLimit) return;
    try {
      const [first] = chunks;
      use(parseJson(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks)));
    } catch (error) {
      refuse(error);
    }
  });
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
