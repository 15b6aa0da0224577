/** Assembles the body of a request, or a line of it, from the parts in which it arrives. */
import { LatchkeyError } from '../../domain/errors.ts';

/** Parses texts of limited size, each when its last part has arrived. Ignores all parts after the first error. */
export class BodyText<Value> {
  readonly #parse: (bytes: Buffer) => Value;
  readonly #use: (value: Value) => void;
  readonly #onError: (error: unknown) => void;
  /** Most texts arrive in one part, so they need no list. */
  #first: Buffer | null = null;
  #others: Buffer[] | null = null;
  size = 0;
  isRejected = false;

  /** Calls either `use` or `onError`. If `parse` or `use` throws, `onError` is called with that error. */
  constructor(parse: (bytes: Buffer) => Value, use: (value: Value) => void, onError: (error: unknown) => void) {
    this.#parse = parse;
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
      this.#use(this.#parse(bytes));
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
