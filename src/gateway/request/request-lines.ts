/** Reads a request body line by line while it arrives. Each line is a JSON text (newline-delimited JSON). */
import { LatchkeyError } from '../../domain/errors.ts';
import type { BodyReader, GatewayRequest } from './gateway-request.ts';
import { parseJson } from './request-body.ts';

export interface LineReader {
  readonly line: (value: unknown) => void;
  /** Called after the last line. */
  readonly end: () => void;
  /** Called once, for a line that is too long or not valid, and if `line` throws. Nothing is read after that. */
  readonly reject: (error: unknown) => void;
}

export function readLines(request: GatewayRequest, reader: LineReader, limitBytes: number): void {
  request.readBody(new JsonLines(reader, limitBytes));
}

const newline = 0x0a;

class JsonLines implements BodyReader {
  readonly #reader: LineReader;
  readonly #limitBytes: number;
  /** The parts of a line that has not arrived completely. */
  #parts: Buffer[] = [];
  #size = 0;
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
    if (this.#size > 0) this.#finish();
    if (!this.#isRejected) this.#reader.end();
  }

  #add(part: Buffer): void {
    if (this.#isRejected || part.length === 0) return;
    this.#size += part.length;
    this.#parts.push(part);
    if (this.#size > this.#limitBytes) {
      this.#reject(new LatchkeyError('PAYLOAD_TOO_LARGE', `A line may have at most ${this.#limitBytes} bytes.`));
    }
  }

  #finish(): void {
    if (this.#isRejected) return;
    const [first = Buffer.alloc(0)] = this.#parts;
    const bytes = this.#parts.length > 1 ? Buffer.concat(this.#parts) : first;
    this.#parts = [];
    this.#size = 0;
    try {
      this.#reader.line(parseJson(bytes));
    } catch (error) {
      this.#reject(error);
    }
  }

  #reject(error: unknown): void {
    this.#isRejected = true;
    this.#parts = [];
    this.#reader.reject(error);
  }
}
