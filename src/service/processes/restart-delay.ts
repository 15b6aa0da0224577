const minMs = 100;
const maxMs = 10_000;

/** Returns the delay before a restart: it doubles with each consecutive failure. */
export function restartDelayMs(failures: number): number {
  return Math.min(maxMs, minMs * 2 ** Math.max(0, failures - 1));
}
