import type { Readiness } from '../domain/readiness.ts';

export interface ReadinessParts {
  /** Resolves when the store answers. */
  readonly ping: () => Promise<void>;
  readonly draining: () => boolean;
}

/** Less than the few seconds that orchestrators and load balancers wait. A slower store counts as unavailable. */
const pingTimeoutMs = 1500;

/** Returns a function that pings the store. Concurrent calls share one ping. */
export function readinessOf({ ping, draining }: ReadinessParts): () => Promise<Readiness> {
  let pending: Promise<boolean> | null = null;
  return async () => {
    if (draining()) return 'draining';
    pending ??= answersInTime(ping).finally(() => {
      pending = null;
    });
    const answers = await pending;
    // The drain may have begun meanwhile.
    if (draining()) return 'draining';
    return answers ? 'ready' : 'store unavailable';
  };
}

async function answersInTime(ping: () => Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeOut = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, pingTimeoutMs, false);
  });
  try {
    return await Promise.race([ping().then(() => true), timeOut]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
