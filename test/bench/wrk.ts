/** wrk, from Debian's package of that name: a client that uses less of the machine than the measured server. */
import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface Load {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent in turn, each once as far as they last; empty where there is no body. */
  readonly bodies: readonly string[];
  /** Default: 32. */
  readonly connections?: number;
}

export interface Measured {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export function requireWrk(): void {
  if (spawnSync('wrk', ['--version']).error !== undefined) throw new Error('wrk is needed: apt-get install wrk');
}

export async function measure(url: string, load: Load, seconds: number, directory: string): Promise<Measured> {
  const bodies = join(directory, 'bodies.txt');
  writeFileSync(bodies, load.bodies.join('\n'));
  const script = join(directory, 'load.lua');
  writeFileSync(script, lua(load, bodies));
  const run = ['-t1', `-c${load.connections ?? 32}`, `-d${seconds}s`, '--latency', '-s', script, url + load.path];
  const { stdout } = await promisify(execFile)('wrk', run);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`the load was not served:\n${stdout}`);
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
    p50Ms: milliseconds(stdout, 50),
    p99Ms: milliseconds(stdout, 99),
  };
}

function lua({ method, headers, bodies }: Load, file: string): string {
  const settings = [
    `wrk.method = ${JSON.stringify(method)}`,
    ...Object.entries(headers).map(
      ([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`,
    ),
  ];
  if (bodies.length === 1) return [...settings, `wrk.body = io.open(${JSON.stringify(file)}):read('*a')`].join('\n');
  if (bodies.length === 0) return settings.join('\n');
  return [
    ...settings,
    'local bodies = {}',
    `for line in io.lines(${JSON.stringify(file)}) do bodies[#bodies + 1] = line end`,
    'local i = 0',
    'request = function() i = i % #bodies + 1; return wrk.format(nil, nil, nil, bodies[i]) end',
  ].join('\n');
}

function milliseconds(output: string, percentile: number): number {
  const [, value = '', unit = ''] = new RegExp(`${percentile}%\\s+([\\d.]+)(us|ms|s)`).exec(output) ?? [];
  return Number(value) * ({ us: 0.001, ms: 1, s: 1000 }[unit] ?? Number.NaN);
}
