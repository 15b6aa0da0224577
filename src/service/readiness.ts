import type { Readiness } from '../domain/readiness.ts';

export interface ReadinessParts {
  /** Resolves when the store answers. */
  readonly ping: () => Promise<void>;
  readonly draining: () => boolean;
}

/** Orchestrators and load balancers wait a few seconds for an answer; a store that needs this long is no use. */
const pingTimeoutMs = 1500;

/** Asks anew each time, except that all who ask while the store is being asked share the question. */
export function readinessOf({ ping, draining }: ReadinessParts): () => Promise<Readiness> {
  let asking: Promise<boolean> | null = null;
  return async () => {
    if (draining()) return 'draining';
    asking ??= answersInTime(ping).finally(() => {
      asking = null;
    });
    const answers = await asking;
    // It may have been told to stop meanwhile.
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
