import { withTimeout } from '../lib/timeout.ts';
import type { Readiness, Unavailable } from '../ports/readiness.ts';

/** A ping fails after this time, because orchestrators and load balancers wait only a few seconds. */
const pingTimeoutMs = 1500;

/** Returns the readiness check. `ping` resolves when the store or an upstream answers; concurrent checks share it. */
export function readinessCheck(ping: () => Promise<void>, unavailable: Unavailable = 'store unavailable') {
  let isDraining = false;
  let pending: Promise<boolean> | null = null;
  const answersInTime = () => {
    const answers = ping().then(
      () => true,
      () => false,
    );
    return withTimeout(answers, pingTimeoutMs, false).finally(() => {
      pending = null;
    });
  };
  return {
    readiness: async (): Promise<Readiness> => {
      if (isDraining) return 'draining';
      pending ??= answersInTime();
      const answers = await pending;
      // The drain may have begun during the ping.
      if (isDraining) return 'draining';
      return answers ? 'ready' : unavailable;
    },
    startDraining: () => {
      isDraining = true;
    },
  };
}
