import { withTimeout } from '../lib/timeout.ts';
import type { Readiness, Unavailable } from '../wire/readiness.ts';

export interface ReadinessCheck {
  readonly readiness: () => Promise<Readiness>;
  /** From now on, `readiness` returns `draining`. */
  readonly startDraining: () => void;
}

/** Less than the few seconds that orchestrators and load balancers wait. A slower answer counts as none. */
const pingTimeoutMs = 1500;

/** `ping` resolves when the store or an upstream answers. Concurrent checks share one ping. */
export function readinessCheck(
  ping: () => Promise<void>,
  unavailable: Unavailable = 'store unavailable',
): ReadinessCheck {
  let isDraining = false;
  let pending: Promise<boolean> | null = null;
  return {
    readiness: async () => {
      if (isDraining) return 'draining';
      pending ??= answersInTime(ping).finally(() => {
        pending = null;
      });
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

async function answersInTime(ping: () => Promise<void>): Promise<boolean> {
  try {
    return await withTimeout(
      ping().then(() => true),
      pingTimeoutMs,
      false,
    );
  } catch {
    return false;
  }
}
