const minMs = 100;
const maxMs = 10_000;

/** How long to wait before a process is started again, after it ended so many times in a row before it was stable. */
export function restartDelayMs(failures: number): number {
  return Math.min(maxMs, minMs * 2 ** Math.max(0, failures - 1));
}
