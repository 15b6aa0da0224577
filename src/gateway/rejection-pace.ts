import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** How many rejections per second are sent without a delay. */
const immediatePerSecond = 100;
/** The delay of all further rejections. */
const delayMs = 1000;

/**
 * Throttles floods of requests that have neither a key nor a verifier token. During a flood, each connection gets one
 * answer per second, which keeps the event loop free. Requests are not counted by address, so that other callers behind
 * the same gateway are not affected: only rejected requests wait.
 */
export class RejectionPace {
  #second = 0;
  #sent = 0;
  readonly #delayed = new WeakSet<Socket>();

  send({ socket }: IncomingMessage, answer: () => void): void {
    const second = Math.floor(performance.now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#sent = 0;
    }
    this.#sent += 1;
    if (this.#sent <= immediatePerSecond) {
      answer();
      return;
    }
    // The client pipelined a second request before the answer to the first. No legitimate client does that.
    if (this.#delayed.has(socket)) {
      socket.destroy();
      return;
    }
    this.#delayed.add(socket);
    socket.pause();
    setTimeout(() => {
      this.#delayed.delete(socket);
      answer();
      socket.resume();
    }, delayMs);
  }
}
