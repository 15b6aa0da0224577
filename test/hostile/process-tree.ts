/** The processes of a service, as Linux shows them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** The process and all its descendants. */
export function processTree(root: number): readonly number[] {
  const childrenOf = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    const parent = Number.isInteger(pid) ? statFields(pid)?.[1] : undefined;
    if (parent !== undefined) childrenOf.set(Number(parent), [...(childrenOf.get(Number(parent)) ?? []), pid]);
  }
  const descendants = (pid: number): number[] => [pid, ...(childrenOf.get(pid) ?? []).flatMap(descendants)];
  return statFields(root) === undefined ? [] : descendants(root);
}

/** User and system time of a process with all its threads. */
export function cpuSeconds(pid: number): number {
  const fields = statFields(pid);
  return (Number(fields?.[11] ?? 0) + Number(fields?.[12] ?? 0)) / ticksPerSecond;
}

const ticksPerSecond = 100;

/** The fields of proc(5) behind the command, which may contain anything; undefined when the process is gone. */
function statFields(pid: number): readonly string[] | undefined {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return undefined;
  const text = readOrEmpty(file);
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields.length > 12 && fields[0] !== 'Z' ? fields : undefined;
}

export interface Memory {
  /** Pages that several processes share are counted in each of them. */
  readonly rssMb: number;
  /** Shared pages are divided among those that share them. */
  readonly pssMb: number;
}

export function memoryOf(pids: readonly number[]): Memory {
  const texts = pids.map((pid) => readOrEmpty(`/proc/${pid}/smaps_rollup`));
  const sumMb = (field: string) =>
    texts.reduce((sum, text) => sum + Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0), 0) / 1024;
  return { rssMb: sumMb('Rss'), pssMb: sumMb('Pss') };
}

/** Empty when the process has ended meanwhile. */
function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** The process that serves a plane. Each plane has an entry file of its own. */
export function processOf(root: number, plane: 'management' | 'verification'): number {
  const pid = processTree(root).find((one) => readOrEmpty(`/proc/${one}/cmdline`).includes(`/service/${plane}.`));
  if (pid === undefined) throw new Error(`no process serves ${plane}`);
  return pid;
}
