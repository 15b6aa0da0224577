/** Reads a request body: JSON in UTF-8, limited in size, without repeated fields. */
import { isUtf8 } from 'node:buffer';
import { badInput, LatchkeyError } from '../../domain/errors.ts';
import { repeatedField } from '../../lib/repeated-field.ts';
import type { BodyReader, GatewayRequest } from './gateway-request.ts';

const bodyLimitBytes = 64 * 1024;
/** For 100 questions, each with a signed request. */
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

class JsonBody implements BodyReader {
  readonly #use: (value: unknown) => void;
  readonly #reject: (error: unknown) => void;
  readonly #objectLimitBytes: number;
  #first: Buffer | null = null;
  #further: Buffer[] | null = null;
  #size = 0;
  #limit = 0;

  constructor(use: (value: unknown) => void, reject: (error: unknown) => void, objectLimitBytes: number) {
    this.#use = use;
    this.#reject = reject;
    this.#objectLimitBytes = objectLimitBytes;
  }

  take(chunk: Buffer): void {
    if (this.#size === 0) this.#limit = limitOf(chunk, this.#objectLimitBytes);
    const wasWithin = this.#size <= this.#limit;
    this.#size += chunk.length;
    if (this.#size <= this.#limit) {
      this.#keep(chunk);
    } else if (wasWithin) {
      this.#first = null;
      this.#further = null;
      this.#reject(new LatchkeyError('PAYLOAD_TOO_LARGE', `The body may have at most ${this.#limit} bytes.`));
    }
  }

  end(): void {
    if (this.#size > this.#limit) return;
    try {
      this.#use(parseJson(this.#bytes()));
    } catch (error) {
      this.#reject(error);
    }
  }

  /** Most bodies arrive in one part, and need no list. */
  #keep(chunk: Buffer): void {
    if (this.#first === null) {
      this.#first = chunk;
      return;
    }
    this.#further ??= [];
    this.#further.push(chunk);
  }

  #bytes(): Buffer {
    if (this.#first === null) return Buffer.alloc(0);
    return this.#further === null ? this.#first : Buffer.concat([this.#first, ...this.#further]);
  }
}

const [bracket, space] = [0x5b, 0x20];

/** A list may be longer. Text with white space for its whole first part counts as no list. */
function limitOf(start: Buffer, objectLimitBytes: number): number {
  return start.find((byte) => byte > space) === bracket ? listLimitBytes : objectLimitBytes;
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
