/** Ends calls whose message does not arrive in time. gRPC has no such limit of its own. */
import { type ServerInterceptingCallInterface, status } from '@grpc/grpc-js';

type Call = Pick<ServerInterceptingCallInterface, 'sendStatus'>;

export class UnfinishedCalls {
  /** When each call began, the oldest first. */
  readonly #calls = new Map<Call, number>();
  readonly #timeoutMs: number;
  readonly #timer: NodeJS.Timeout;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
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
      call.sendStatus({ code: status.DEADLINE_EXCEEDED, details: 'The request did not arrive in time.' });
    }
  }
}
