import { withTimeout } from '../lib/timeout.ts';
import type { Readiness, Unavailable } from '../wire/readiness.ts';

/** Less than the few seconds that orchestrators and load balancers wait. A slower answer counts as none. */
const pingTimeoutMs = 1500;

/** `ping` resolves when the store or an upstream answers. Concurrent checks share one ping. */
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
      // The drain may have begun meanwhile.
      if (isDraining) return 'draining';
      return answers ? 'ready' : unavailable;
    },
    startDraining: () => {
      isDraining = true;
    },
  };
}
