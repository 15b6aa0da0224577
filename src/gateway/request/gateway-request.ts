import { IncomingMessage } from 'node:http';

interface BodyReader {
  readonly take: (chunk: Buffer) => void;
  readonly end: () => void;
}

/**
 * Hands the parts of its body to a reader as the parser finds them: the stream of `node:http` takes a fifth of the time of
 * a verification. While the request waits to be served, the parts that have arrived are kept, and no more is read.
 */
export class GatewayRequest extends IncomingMessage {
  #reader: BodyReader | null = null;
  #kept: Buffer[] | null = null;
  #isWaiting = true;

  begin(): void {
    this.#isWaiting = false;
  }

  /** Called after `begin` and `readBody`. Delivers what was kept; without a reader, the body is discarded. */
  deliver(): void {
    const kept = this.#kept;
    if (kept !== null) {
      this.#kept = null;
      for (const chunk of kept) this.#reader?.take(chunk);
      this.socket.resume();
    }
    if (this.complete) this.#end();
  }

  readBody(reader: BodyReader): void {
    this.#reader = reader;
  }

  /** Called by the parser, with null at the end. Returns whether to go on reading. */
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

  /** `node:http` discards the body this way. There is nothing to discard. */
  override resume(): this {
    return this;
  }
}

// `node:http` reads this before it releases a request. Otherwise each idle connection would keep its last one in memory.
Object.defineProperty(GatewayRequest.prototype, 'readableEnded', {
  get(this: GatewayRequest) {
    return this.complete;
  },
});
