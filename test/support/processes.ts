/** The processes of a running service, found as an operator finds them. Linux only. */
import { readFileSync } from 'node:fs';

export interface ServiceProcesses {
  readonly supervisor: number;
  /** 0 while it is being restarted. */
  readonly management: number;
  readonly verification: readonly number[];
}

export function processesOf(supervisor: number): ServiceProcesses {
  const children = childrenOf(supervisor).map((pid) => ({ pid, command: commandOf(pid) }));
  const running = (plane: string) =>
    children.filter(({ command }) => command.includes(`/service/${plane}.`)).map(({ pid }) => pid);
  return { supervisor, management: running('management')[0] ?? 0, verification: running('verification') };
}

export function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** The processor time that a process has used, of user and system. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const ticksPerSecond = 100;
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}
