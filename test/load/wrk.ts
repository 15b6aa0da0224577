/** wrk, from Debian's package of that name: a client that uses less of the machine than the measured server. */
import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryDirectory } from '../support/temporary-database.ts';

export interface WrkLoad {
  /** Whole HTTP requests, as `rawRequest` writes them: sent in turn, and again from the first one. */
  readonly requests: readonly string[];
  readonly connections: number;
}

export interface WrkReport {
  readonly perSecond: number;
  /** Answers with a status that is not 2xx. */
  readonly rejectedPerSecond: number;
  /** Describes broken connections; empty if there are none. */
  readonly errors: string;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export function requireWrk(): void {
  if (spawnSync('wrk', ['--version']).error !== undefined) throw new Error('wrk is needed: apt-get install wrk');
}

export async function runWrk(url: string, { requests, connections }: WrkLoad, seconds: number): Promise<WrkReport> {
  const { path, remove } = temporaryDirectory();
  const [file, script] = [join(path, 'requests'), join(path, 'load.lua')];
  writeFileSync(file, requests.join('\u0001'));
  writeFileSync(script, lua(file, requests.length));
  const options = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '--latency', '-s', script, url];
  const { stdout } = await promisify(execFile)('wrk', options).finally(remove);
  const rejected = Number(/Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1] ?? 0);
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
    rejectedPerSecond: rejected / seconds,
    errors: /Socket errors: (.*)/.exec(stdout)?.[1] ?? '',
    p50Ms: milliseconds(stdout, 50),
    p99Ms: milliseconds(stdout, 99),
  };
}

function lua(file: string, requests: number): string {
  return [
    'local requests = {}',
    `for text in io.open(${JSON.stringify(file)}):read('*a'):gmatch('[^\\1]+') do requests[#requests + 1] = text end`,
    'wrk.format = function() return requests[1] end',
    // Without this function, wrk sends the first request again and again, which costs it less.
    ...(requests === 1 ? [] : ['local i = 0', 'request = function() i = i % #requests + 1; return requests[i] end']),
  ].join('\n');
}

function milliseconds(output: string, percentile: number): number {
  const [, value = '', unit = ''] = new RegExp(`${percentile}%\\s+([\\d.]+)(us|ms|s)`).exec(output) ?? [];
  return Number(value) * ({ us: 0.001, ms: 1, s: 1000 }[unit] ?? Number.NaN);
}
