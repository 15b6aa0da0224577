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

  send(answer: () => void): void {
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
    // Its connection waits with it: requests of one connection are answered in order.
    setTimeout(answer, delayMs);
  }
}
