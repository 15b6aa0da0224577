import { IncomingMessage } from 'node:http';
import { unsupportedCoding } from '../../domain/errors.ts';

interface BodyReader {
  readonly take: (chunk: Buffer) => void;
  readonly end: () => void;
}

/**
 * Passes the parts of its body directly from the parser to a reader, because the stream of `node:http` takes a fifth of
 * the time of a verification. While the request waits to be served, it keeps the parts that arrived and stops reading.
 */
export class GatewayRequest extends IncomingMessage {
  #reader: BodyReader | null = null;
  #kept: Buffer[] | null = null;
  #isWaiting = true;

  begin(): void {
    this.#isWaiting = false;
  }

  /** Called after `begin` and `readBody`. Delivers the kept parts; without a reader, discards the body. */
  deliver(): void {
    const kept = this.#kept;
    if (kept !== null) {
      this.#kept = null;
      for (const chunk of kept) this.#reader?.take(chunk);
      this.socket.resume();
    }
    if (this.complete) this.#end();
  }

  /** Throws UNSUPPORTED_MEDIA_TYPE for a body that is compressed. */
  readBody(reader: BodyReader): void {
    const coding = this.headers['content-encoding'] ?? '';
    if (coding !== '' && coding.toLowerCase() !== 'identity') throw unsupportedCoding('identity');
    this.#reader = reader;
  }

  /** Called by the parser, with null at the end. Returns false to pause reading. */
  override push(chunk: Buffer | null): boolean {
    if (this.#isWaiting) {
      if (chunk === null) return true;
      this.#kept ??= [];
      this.#kept.push(chunk);
      return false;
    }
    if (chunk === null) this.#end();
    else this.#reader?.take(chunk);
    return true;
  }

  #end(): void {
    const reader = this.#reader;
    this.#reader = null;
    reader?.end();
  }

  /** Called by `node:http` to discard the body. Does nothing, because no stream holds the body. */
  override resume(): this {
    return this;
  }
}

// Frees the last request of an idle connection: `node:http` keeps a request in memory until this is true.
Object.defineProperty(GatewayRequest.prototype, 'readableEnded', {
  get(this: GatewayRequest) {
    return this.complete;
  },
});
