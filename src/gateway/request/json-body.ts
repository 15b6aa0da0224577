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

/** Collects the parts of JSON texts, up to a limit. After the first error, nothing is read. */
abstract class JsonTexts implements BodyReader {
  readonly #use: (value: unknown) => void;
  readonly #onError: (error: unknown) => void;
  /** The parts of a text that has not arrived completely. Most texts arrive in one part, and need no list. */
  #first: Buffer | null = null;
  #others: Buffer[] | null = null;
  protected size = 0;
  protected isRejected = false;

  constructor(use: (value: unknown) => void, onError: (error: unknown) => void) {
    this.#use = use;
    this.#onError = onError;
  }

  abstract take(chunk: Buffer): void;
  abstract end(): void;

  protected add(part: Buffer, limitBytes: number, what: string): void {
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

  protected finish(): void {
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

const [bracket, space, newline] = [0x5b, 0x20, 0x0a];

class JsonBody extends JsonTexts {
  readonly #objectLimitBytes: number;
  #limitBytes = 0;

  constructor(use: (value: unknown) => void, onError: (error: unknown) => void, objectLimitBytes: number) {
    super(use, onError);
    this.#objectLimitBytes = objectLimitBytes;
  }

  take(chunk: Buffer): void {
    // A list may be longer. Text with white space for its whole first part counts as no list.
    if (this.size === 0) {
      const isList = chunk.find((byte) => byte > space) === bracket;
      this.#limitBytes = isList ? listLimitBytes : this.#objectLimitBytes;
    }
    this.add(chunk, this.#limitBytes, 'The body');
  }

  end(): void {
    this.finish();
  }
}

class JsonLines extends JsonTexts {
  readonly #onEnd: () => void;
  readonly #limitBytes: number;

  constructor({ line, end, reject }: LineReader, limitBytes: number) {
    super(line, reject);
    this.#onEnd = end;
    this.#limitBytes = limitBytes;
  }

  take(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      this.add(chunk.subarray(start, end), this.#limitBytes, 'A line');
      this.finish();
      start = end + 1;
    }
    if (start < chunk.length) this.add(chunk.subarray(start), this.#limitBytes, 'A line');
  }

  end(): void {
    if (this.size > 0) this.finish();
    if (!this.isRejected) this.#onEnd();
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
