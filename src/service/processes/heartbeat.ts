export const checkIntervalMs = 1000;

/** The number of checks in a row without an answer after which a process is stuck: ten seconds. */
const maxUnanswered = 10;
/** After so many answers, a process is stable. */
const stableAnswers = 30;
/** Both double with each failure, so that restarts that do not help, on a machine that is too slow, become rare. */
const maxDoublings = 5;

/** Counts checks instead of time: on a suspended machine, the supervisor does not run either. */
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

  /** Called at each check. Returns whether to ping the process, to wait for its answer, or that it is stuck. */
  check(): 'ping' | 'wait' | 'stuck' {
    this.#unanswered += 1;
    if (this.#isStuck) return 'stuck';
    return this.#unanswered === 1 ? 'ping' : 'wait';
  }

  answered(): void {
    this.#unanswered = 0;
    this.#answers += 1;
  }

  /** The number of consecutive failures if the process ends now: it got stuck, or ended before it was stable. */
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
