/** What Linux says of a process. */
import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessSample {
  readonly seconds: number;
  /** Resident memory, all of it and its anonymous part: heap and buffers, without mapped files. */
  readonly rssMb: number;
  readonly anonymousMb: number;
  readonly descriptors: number;
  readonly threads: number;
}

export function sampleProcess(pid: number, seconds: number): ProcessSample {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  return {
    seconds,
    rssMb: field('VmRSS') / 1024,
    anonymousMb: field('RssAnon') / 1024,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    threads: field('Threads'),
  };
}
