export interface Repeated {
  /** How many runs have failed. */
  readonly failures: number;
  /** Resolves when the last run has ended. */
  readonly stop: () => Promise<void>;
}

export interface RepeatOptions {
  readonly intervalMs: number;
  /** Whether the first run starts now, and not after the interval. */
  readonly isDueNow?: boolean;
  /** What an error says, as in "expired data could not be removed; retrying later". */
  readonly failure: string;
  readonly report: (error: unknown, what: string) => void;
}

/** Repeats a part of the upkeep, never twice at a time. Reports its errors, after which the next run tries again. */
export function repeat(
  run: () => Promise<void>,
  { intervalMs, isDueNow = false, failure, report }: RepeatOptions,
): Repeated {
  let failures = 0;
  let running: Promise<void> | null = null;
  const start = () => {
    running ??= run()
      .catch((error) => {
        failures += 1;
        report(error, failure);
      })
      .finally(() => {
        running = null;
      });
  };
  if (isDueNow) start();
  const timer = setInterval(start, intervalMs);
  timer.unref();
  return {
    get failures() {
      return failures;
    },
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}
