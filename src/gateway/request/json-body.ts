/** Reads request bodies: JSON in UTF-8, limited in size, without repeated fields; or lines of it (NDJSON). */
import { isUtf8 } from 'node:buffer';
import { badInput, LatchkeyError } from '../../domain/errors.ts';
import { repeatedField } from '../../lib/repeated-field.ts';
import type { BodyReader, GatewayRequest } from './gateway-request.ts';

const bodyLimitBytes = 64 * 1024;
/** For 100 verifications, each with a signed request. */
const listLimitBytes = 128 * 1024;

/** Calls either `use` or `reject`. If `use` throws, `reject` is called with that error. */
export function readJson(
  request: GatewayRequest,
  use: (value: unknown) => void,
  reject: (error: unknown) => void,
  objectLimitBytes = bodyLimitBytes,
): void {
  request.readBody(new JsonBody(use, reject, objectLimitBytes));
}

export interface LineReader {
  readonly line: (value: unknown) => void;
  /** Called after the last line. */
  readonly end: () => void;
  /** Called once, for a line that is too long or not valid, and if `line` throws. Nothing is read after that. */
  readonly reject: (error: unknown) => void;
}

/** Reads a body line by line while it arrives. */
export function readLines(request: GatewayRequest, reader: LineReader, limitBytes: number): void {
  request.readBody(new JsonLines(reader, limitBytes));
}

/** The parts of a JSON text that have arrived. Most bodies arrive in one part, and need no list. */
class JsonParts {
  size = 0;
  #first: Buffer | null = null;
  #others: Buffer[] | null = null;

  add(part: Buffer): void {
    this.size += part.length;
    if (this.#first === null) {
      this.#first = part;
      return;
    }
    this.#others ??= [];
    this.#others.push(part);
  }

  clear(): void {
    this.size = 0;
    this.#first = null;
    this.#others = null;
  }

  /** Returns the value, and forgets the parts. Throws if it is not valid. */
  parse(): unknown {
    const first = this.#first ?? Buffer.alloc(0);
    const bytes = this.#others === null ? first : Buffer.concat([first, ...this.#others]);
    this.clear();
    return parseJson(bytes);
  }
}

class JsonBody implements BodyReader {
  readonly #use: (value: unknown) => void;
  readonly #reject: (error: unknown) => void;
  readonly #objectLimitBytes: number;
  readonly #parts = new JsonParts();
  #limit = 0;
  #isRejected = false;

  constructor(use: (value: unknown) => void, reject: (error: unknown) => void, objectLimitBytes: number) {
    this.#use = use;
    this.#reject = reject;
    this.#objectLimitBytes = objectLimitBytes;
  }

  take(chunk: Buffer): void {
    if (this.#isRejected) return;
    if (this.#parts.size === 0) this.#limit = limitOf(chunk, this.#objectLimitBytes);
    this.#parts.add(chunk);
    if (this.#parts.size <= this.#limit) return;
    this.#isRejected = true;
    this.#parts.clear();
    this.#reject(new LatchkeyError('PAYLOAD_TOO_LARGE', `The body may have at most ${this.#limit} bytes.`));
  }

  end(): void {
    if (this.#isRejected) return;
    try {
      this.#use(this.#parts.parse());
    } catch (error) {
      this.#reject(error);
    }
  }
}

const [bracket, space, newline] = [0x5b, 0x20, 0x0a];

/** A list may be longer. Text with white space for its whole first part counts as no list. */
function limitOf(start: Buffer, objectLimitBytes: number): number {
  return start.find((byte) => byte > space) === bracket ? listLimitBytes : objectLimitBytes;
}

class JsonLines implements BodyReader {
  readonly #reader: LineReader;
  readonly #limitBytes: number;
  /** Of a line that has not arrived completely. */
  readonly #parts = new JsonParts();
  #isRejected = false;

  constructor(reader: LineReader, limitBytes: number) {
    this.#reader = reader;
    this.#limitBytes = limitBytes;
  }

  take(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      this.#add(chunk.subarray(start, end));
      this.#finish();
      start = end + 1;
    }
    this.#add(chunk.subarray(start));
  }

  end(): void {
    if (this.#parts.size > 0) this.#finish();
    if (!this.#isRejected) this.#reader.end();
  }

  #add(part: Buffer): void {
    if (this.#isRejected || part.length === 0) return;
    this.#parts.add(part);
    if (this.#parts.size <= this.#limitBytes) return;
    this.#reject(new LatchkeyError('PAYLOAD_TOO_LARGE', `A line may have at most ${this.#limitBytes} bytes.`));
  }

  #finish(): void {
    if (this.#isRejected) return;
    try {
      this.#reader.line(this.#parts.parse());
    } catch (error) {
      this.#reject(error);
    }
  }

  #reject(error: unknown): void {
    this.#isRejected = true;
    this.#parts.clear();
    this.#reader.reject(error);
  }
}

/** @throws LatchkeyError unless the bytes are JSON in UTF-8 without repeated fields */
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
