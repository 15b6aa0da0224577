import { setTimeout as pause } from 'node:timers/promises';

const tickMs = 2;

/**
 * Calls at a fixed rate, however long the answers take, until it is stopped. `dueMs` counts from the start, so that a
 * latency that counts from then includes the whole time for which a server stalls.
 */
export async function atRate(perSecond: number, call: (dueMs: number) => void, stop: AbortSignal): Promise<void> {
  const startedAt = performance.now();
  for (let calls = 0; !stop.aborted; await pause(tickMs)) {
    const now = performance.now() - startedAt;
    for (; (calls * 1000) / perSecond <= now; calls += 1) call((calls * 1000) / perSecond);
  }
}
