/** The sums of Linux's values for the processes of a service. */
import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessSample {
  readonly seconds: number;
  /** Resident memory, all of it and its anonymous part: heap and buffers, without mapped files. */
  readonly rssMb: number;
  readonly anonymousMb: number;
  readonly descriptors: number;
  readonly threads: number;
}

export function sampleProcesses(pids: readonly number[], seconds: number): ProcessSample {
  const samples = pids.map(sampleProcess);
  const sum = (name: keyof (typeof samples)[number]) => samples.reduce((total, sample) => total + sample[name], 0);
  return {
    seconds,
    rssMb: sum('rssMb'),
    anonymousMb: sum('anonymousMb'),
    descriptors: sum('descriptors'),
    threads: sum('threads'),
  };
}

function sampleProcess(pid: number) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  return {
    rssMb: field('VmRSS') / 1024,
    anonymousMb: field('RssAnon') / 1024,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    threads: field('Threads'),
  };
}
