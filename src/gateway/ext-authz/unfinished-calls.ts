/** Ends calls whose message does not arrive in time. gRPC has no such limit of its own. */
import { type ServerInterceptingCallInterface, status } from '@grpc/grpc-js';

type Call = Pick<ServerInterceptingCallInterface, 'sendStatus'>;

const timeoutMs = 10_000;
const checkEveryMs = 1000;

export class UnfinishedCalls {
  /** When each call began, the oldest first. */
  readonly #calls = new Map<Call, number>();
  readonly #timer = setInterval(() => this.#endLate(performance.now()), checkEveryMs).unref();

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
      if (now - since < timeoutMs) return;
      this.#calls.delete(call);
      call.sendStatus({ code: status.DEADLINE_EXCEEDED, details: 'The request did not arrive in time.' });
    }
  }
}
