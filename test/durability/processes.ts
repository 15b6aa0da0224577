/** Processes by their ids: who belongs together, who has ended. Linux only, as is all that kills here. */
import { readFileSync } from 'node:fs';

export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

/** Also true for a process that has ended but was not waited for (a zombie). */
function hasEnded(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    return true;
  }
}

/** Those that are still there in the end. */
export async function waitUntilEnded(pids: readonly number[], timeoutMs: number): Promise<number[]> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const left = pids.filter((pid) => !hasEnded(pid));
    if (left.length === 0 || performance.now() > deadline) return left;
    await pause(5);
  }
}

export async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
