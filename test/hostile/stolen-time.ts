import { readFileSync } from 'node:fs';

/** Returns a function that returns the percentage of CPU time that the host has given to other machines since. */
export function stolenTime(): () => number {
  const before = cpuTimes();
  return () => {
    const now = cpuTimes();
    return (100 * (now.stolen - before.stolen)) / Math.max(1, now.total - before.total);
  };
}

/** The first line of proc_stat(5): user, nice, system, idle, iowait, irq, softirq, steal. */
function cpuTimes(): { readonly stolen: number; readonly total: number } {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
  const times = line.split(/\s+/).slice(1, 9).map(Number);
  return { stolen: times[7] ?? 0, total: times.reduce((sum, time) => sum + time, 0) };
}
