export const checkIntervalMs = 1000;

/** A process is stuck if it does not answer for more than this many checks: ten seconds. */
const maxUnanswered = 10;
/** A process is stable after this many answers. */
const stableAnswers = 30;
/** Each failure doubles both numbers, at most this many times: on a machine that is too slow, restarts become rare. */
const maxDoublings = 5;

/** Counts checks instead of seconds, because checks stop too while the machine is suspended. */
export class Heartbeat {
  readonly #failures: number;
  readonly #factor: number;
  #unanswered = 0;
  #answers = 0;

  /** `failures`: the consecutive failures before this process was started. */
  constructor(failures: number) {
    this.#failures = failures;
    this.#factor = 2 ** Math.min(failures, maxDoublings);
  }

  /** Counts a check. Returns whether to ping the process, to wait for its answer, or to treat it as stuck. */
  check(): 'ping' | 'wait' | 'stuck' {
    this.#unanswered += 1;
    if (this.#isStuck) return 'stuck';
    return this.#unanswered === 1 ? 'ping' : 'wait';
  }

  answered(): void {
    this.#unanswered = 0;
    this.#answers += 1;
  }

  /** The consecutive failures if the process ends now. A process that is stuck or not yet stable has failed. */
  get failures(): number {
    const isStable = this.#answers >= stableAnswers * this.#factor;
    if (isStable && !this.#isStuck) return 0;
    return (isStable ? 0 : this.#failures) + 1;
  }

  get #isStuck(): boolean {
    return this.#unanswered > maxUnanswered * this.#factor;
  }
}

const [minRestartMs, maxRestartMs] = [100, 10_000];

export function restartDelayMs(failures: number): number {
  return Math.min(maxRestartMs, minRestartMs * 2 ** Math.max(0, failures - 1));
}
