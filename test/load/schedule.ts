export async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

/** Ends the program when it is interrupted; its servers end with it. */
export function exitOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
}

const tickMs = 2;

/**
 * Calls at a fixed rate, however long the answers take, until the time is over or it is stopped. Call number n is due
 * at n / rate, in milliseconds since the start. A latency that counts from then includes the whole time for which a
 * server stalls.
 */
export async function atRate(
  perSecond: number,
  call: (dueMs: number) => void,
  stop: AbortSignal,
  durationMs = Number.POSITIVE_INFINITY,
): Promise<void> {
  const startedAt = performance.now();
  for (let calls = 0; !stop.aborted; ) {
    const now = Math.min(performance.now() - startedAt, durationMs);
    for (; (calls * 1000) / perSecond <= now; calls += 1) call((calls * 1000) / perSecond);
    if (now >= durationMs) return;
    await pause(tickMs);
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
