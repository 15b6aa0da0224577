/** The maximum number of traced verifications per second, whatever callers request. */
const maxPerSecond = 100;

/**
 * Decides which verifications are traced. Behind a gateway, any client on the Internet can send `traceparent`, so the
 * number of requested traces is limited.
 */
export class VerificationSampling {
  readonly #ratio: number;
  #second = 0;
  #traced = 0;

  constructor(ratio: number) {
    this.#ratio = ratio;
  }

  /** `requested`: whether the caller's trace context says to record; undefined without one. */
  shouldTrace(requested: boolean | undefined, nowMs: number): boolean {
    if (!(requested ?? Math.random() < this.#ratio)) return false;
    const second = Math.floor(nowMs / 1000);
    if (second !== this.#second) this.#traced = 0;
    this.#second = second;
    this.#traced += 1;
    return this.#traced <= maxPerSecond;
  }
}
