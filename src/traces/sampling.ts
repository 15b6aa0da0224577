/** At most so many verifications are traced in a second, whatever their callers ask for. */
const maxPerSecond = 100;

/**
 * Which verifications are traced. Behind a gateway, `traceparent` may come from anybody on the Internet: asking for a
 * trace is heard, but not without bound.
 */
export class VerificationSampling {
  readonly #ratio: number;
  readonly #random: () => number;
  #second = 0;
  #traced = 0;

  constructor(ratio: number, random: () => number = Math.random) {
    this.#ratio = ratio;
    this.#random = random;
  }

  /** `asked`: what the caller decided about the trace that this is part of; undefined where it said nothing. */
  wants(asked: boolean | undefined, nowMs: number): boolean {
    if (!(asked ?? this.#random() < this.#ratio)) return false;
    const second = Math.floor(nowMs / 1000);
    if (second !== this.#second) this.#traced = 0;
    this.#second = second;
    this.#traced += 1;
    return this.#traced <= maxPerSecond;
  }
}
