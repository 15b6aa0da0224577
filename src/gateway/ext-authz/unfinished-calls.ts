/**
 * Finds calls that are not finished in time: the message has not arrived, or the client does not read the answer. gRPC
 * has no such limit of its own. Pings don't find these clients, because they can answer them.
 */
import type { ServerInterceptingCallInterface } from '@grpc/grpc-js';

type Call = Pick<ServerInterceptingCallInterface, 'getPeer'>;

export class UnfinishedCalls {
  /** When each call began, the oldest first. */
  readonly #calls = new Map<Call, number>();
  readonly #timeoutMs: number;
  readonly #end: (call: Call) => void;
  readonly #timer: NodeJS.Timeout;

  constructor(timeoutMs: number, end: (call: Call) => void) {
    this.#timeoutMs = timeoutMs;
    this.#end = end;
    this.#timer = setInterval(() => this.#endLate(performance.now()), timeoutMs / 10).unref();
  }

  add(call: Call): void {
    this.#calls.set(call, performance.now());
  }

  delete(call: Call): void {
    this.#calls.delete(call);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #endLate(now: number): void {
    for (const [call, since] of this.#calls) {
      if (now - since < this.#timeoutMs) return;
      this.#calls.delete(call);
      this.#end(call);
    }
  }
}
