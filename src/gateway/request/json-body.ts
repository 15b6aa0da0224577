/** Reads request bodies of limited size: JSON in UTF-8 without repeated fields, or lines of such JSON (NDJSON). */
import { isUtf8 } from 'node:buffer';
import { badInput, LatchkeyError } from '../../domain/errors.ts';
import { repeatedField } from '../../lib/repeated-field.ts';
import type { GatewayRequest } from './gateway-request.ts';

const bodyLimitBytes = 64 * 1024;
/** Enough for 100 verifications, each with a signed request. */
const listLimitBytes = 128 * 1024;

/** Calls either `use` or `reject`. If `use` throws, `reject` is called with that error. */
export function readJson(
  request: GatewayRequest,
  use: (value: unknown) => void,
  reject: (error: unknown) => void,
  objectLimitBytes = bodyLimitBytes,
): void {
  const body = new JsonText(use, reject);
  let limitBytes = objectLimitBytes;
  request.readBody({
    take: (chunk) => {
      // Raises the limit for a list, unless the first part of the body is only white space.
      if (body.size === 0 && chunk.find((byte) => byte > space) === bracket) limitBytes = listLimitBytes;
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
  const text = new JsonText(line, reject);
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

/** Assembles JSON texts from parts, each text up to a limit. Ignores all parts after the first error. */
class JsonText {
  readonly #use: (value: unknown) => void;
  readonly #onError: (error: unknown) => void;
  /** Most texts arrive in one part, so they need no list. */
  #first: Buffer | null = null;
  #others: Buffer[] | null = null;
  size = 0;
  isRejected = false;

  constructor(use: (value: unknown) => void, onError: (error: unknown) => void) {
    this.#use = use;
    this.#onError = onError;
  }

  add(part: Buffer, limitBytes: number, what: string): void {
    if (this.isRejected) return;
    this.size += part.length;
    if (this.size > limitBytes) {
      this.#reject(new LatchkeyError('PAYLOAD_TOO_LARGE', `${what} may have at most ${limitBytes} bytes.`));
    } else if (this.#first === null) {
      this.#first = part;
    } else {
      this.#others ??= [];
      this.#others.push(part);
    }
  }

  finish(): void {
    if (this.isRejected) return;
    const first = this.#first ?? Buffer.alloc(0);
    const bytes = this.#others === null ? first : Buffer.concat([first, ...this.#others]);
    this.#clear();
    try {
      this.#use(parseJson(bytes));
    } catch (error) {
      this.#reject(error);
    }
  }

  #reject(error: unknown): void {
    this.isRejected = true;
    this.#clear();
    this.#onError(error);
  }

  #clear(): void {
    this.size = 0;
    this.#first = null;
    this.#others = null;
  }
}

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
  if (repeated !== null) throw badInput([{ field: repeated, message: 'must be given once' }]);
  return value;
}
