export async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

/** Ends the program when it is interrupted; its servers end with it. */
export function exitOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
}

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

/** Begins `count` steps, spread evenly over a time. */
export async function spread(count: number, overMs: number, step: (index: number) => Promise<void>): Promise<void> {
  const startedAt = performance.now();
  for (let i = 0; i < count; i += 1) {
    await pause(Math.max(200, (overMs * (i + 0.5)) / count - (performance.now() - startedAt)));
    await step(i);
  }
}
