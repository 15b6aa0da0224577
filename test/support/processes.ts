/** Processes: their output, and what Linux shows of them in /proc. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';

/** Resolves to the next output of a process, such as the port that it has printed. Rejects if it ends instead. */
export async function nextOutput(child: ChildProcess): Promise<string> {
  if (child.stdout === null || child.stdout.closed) throw new Error('the process has no output, or has ended');
  const end = once(child, 'close').then(([code, signal]) => {
    throw new Error(`the process ended with ${code ?? signal} and printed nothing`);
  });
  const [output] = await Promise.race([once(child.stdout, 'data'), end]);
  return String(output).trim();
}

/** Each plane of the service has an entry file of its own. `management` and `sender` are 0 while they are being restarted. */
export function processesOf(supervisor: number) {
  const running = (plane: string) =>
    childrenOf(supervisor).filter((pid) => read(pid, 'cmdline').includes(`/service/${plane}.`));
  const [management = 0] = running('management');
  const [sender = 0] = running('sender');
  return { supervisor, management, sender, verification: running('verification') };
}

export function childrenOf(pid: number): number[] {
  return read(pid, `task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

/** Also true for a process that has ended but was not waited for (a zombie). */
function hasEnded(pid: number): boolean {
  return ['Z', undefined].includes(statFields(pid)[0]);
}

/** Returns those that still run after the timeout. */
export async function waitUntilEnded(pids: readonly number[], timeoutMs: number): Promise<number[]> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const left = pids.filter((pid) => !hasEnded(pid));
    if (left.length === 0 || performance.now() > deadline) return left;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Also if it has ended. A negative id stands for a process group. */
export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

/** User and system time of processes with all their threads. */
export function cpuSeconds(...pids: readonly number[]): number {
  const ticksPerSecond = 100;
  return sum(pids, (pid) => {
    const fields = statFields(pid);
    return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / ticksPerSecond;
  });
}

export type ProcessSample = ReturnType<typeof sampleProcesses>;

/** The sums over these processes. */
export function sampleProcesses(pids: readonly number[]) {
  return {
    /** Pages that several processes share are counted in each of them. */
    rssMb: rssMb(pids),
    /** Heap and buffers, without mapped files. */
    anonymousMb: sum(pids, (pid) => field(pid, 'status', 'RssAnon')) / 1024,
    descriptors: sum(pids, (pid) => readdirSync(`/proc/${pid}/fd`).length),
    threads: sum(pids, (pid) => field(pid, 'status', 'Threads')),
  };
}

export function rssMb(pids: readonly number[]): number {
  return sum(pids, (pid) => field(pid, 'status', 'VmRSS')) / 1024;
}

/** Their memory, with each page divided among the processes that share it. Slow: the kernel reads all page tables. */
export function pssMb(pids: readonly number[]): number {
  return sum(pids, (pid) => field(pid, 'smaps_rollup', 'Pss')) / 1024;
}

function field(pid: number, file: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(read(pid, file))?.[1] ?? 0);
}

/** Returns a function that returns the percentage of CPU time that the host has given to other machines since. */
export function stolenTime(): () => number {
  const before = cpuTimes();
  return () => {
    const now = cpuTimes();
    return (100 * (now.stolen - before.stolen)) / Math.max(1, now.total - before.total);
  };
}

/** From the first line of proc_stat(5): user, nice, system, idle, iowait, irq, softirq, steal. */
function cpuTimes(): { readonly stolen: number; readonly total: number } {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
  const times = line.split(/\s+/).slice(1, 9).map(Number);
  return { stolen: times[7] ?? 0, total: times.reduce((total, time) => total + time, 0) };
}

function sum(pids: readonly number[], measure: (pid: number) => number): number {
  return pids.reduce((total, pid) => total + measure(pid), 0);
}

/** The fields of proc_pid_stat(5) after the command, which may contain anything. */
function statFields(pid: number): readonly string[] {
  const text = read(pid, 'stat');
  return text === '' ? [] : text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** Empty if the process has ended. */
function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
