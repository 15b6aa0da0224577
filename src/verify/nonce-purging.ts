import type { Nonces } from '../store/feed/nonces.ts';

const intervalMs = 60_000;

export interface NoncePurging {
  readonly failures: number;
  readonly stop: () => void;
}

/** Removes expired nonces once per minute. */
export function startNoncePurging(nonces: Nonces, report: (error: unknown, what: string) => void): NoncePurging {
  let failures = 0;
  const purge = async () => {
    try {
      await nonces.purge(new Date());
    } catch (error) {
      failures += 1;
      report(error, 'expired nonces could not be removed; the next attempt is in a minute');
    }
  };
  const timer = setInterval(() => void purge(), intervalMs);
  timer.unref();
  return {
    get failures() {
      return failures;
    },
    stop: () => clearInterval(timer),
  };
}
