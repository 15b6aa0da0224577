/**
 * Finds calls that are not finished in time: the message has not arrived, or the client does not read the answer. gRPC
 * has no such limit of its own. Pings don't find these clients, because they can answer them.
 */

interface Unfinished {
  readonly since: number;
  readonly end: () => void;
}

export class UnfinishedCalls {
  /** The oldest first. */
  readonly #calls = new Map<object, Unfinished>();
  readonly #timeoutMs: number;
  readonly #timer: NodeJS.Timeout;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
    this.#timer = setInterval(() => this.#endLate(performance.now()), timeoutMs / 10).unref();
  }

  /** `end` is called if the call is not finished in time. */
  add(call: object, end: () => void): void {
    this.#calls.set(call, { since: performance.now(), end });
  }

  delete(call: object): void {
    this.#calls.delete(call);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #endLate(now: number): void {
    for (const [call, { since, end }] of this.#calls) {
      if (now - since < this.#timeoutMs) return;
      this.#calls.delete(call);
      end();
    }
  }
}
