import type { IncomingMessage } from 'node:http';

/** So many rejections a second are sent at once; … */
const immediatePerSecond = 100;
/** … those beyond wait so long, and their connection with them. */
const delayMs = 1000;

/**
 * Slows down floods of requests that need neither a key nor a verifier token: a connection that sends one after the
 * other gets one answer a second, and leaves the event loop to others. Nothing is counted by address, so that it harms
 * no caller behind the same gateway: only what is rejected anyway waits.
 */
export class RejectionPace {
  #second = 0;
  #sent = 0;

  send(request: IncomingMessage, answer: () => void): void {
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
    const { socket } = request;
    // Else it could go on sending requests without waiting for the answers.
    socket.pause();
    setTimeout(() => {
      answer();
      socket.resume();
    }, delayMs);
  }
}
