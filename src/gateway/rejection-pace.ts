import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** So many rejections are sent at once in each second. */
const immediatePerSecond = 100;
/** Those beyond are sent this much later. */
const delayMs = 1000;

/**
 * Slows down floods of requests that have neither a key nor a verifier token: a connection that sends one after the
 * other gets one answer a second, and leaves the event loop to others. Nothing is counted by address, so that it harms
 * no other caller behind the same gateway: only a request that is rejected waits.
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
    // A second request on the connection was sent without waiting for the answer to the first: no client needs that.
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
