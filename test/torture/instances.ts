/** Two instances of the built service on one SQLite database: A with two workers, B with one and a tiny cache. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/embedded-postgres.ts';
import { jwtSecret } from '../support/service.ts';

export interface Instance {
  readonly name: string;
  readonly port: number;
  readonly verifyPort: number;
  readonly pid: number;
  /** In a cluster, the processes that answer. */
  readonly workers: readonly number[];
}

export interface Instances {
  readonly a: Instance;
  readonly b: Instance;
  readonly stop: () => Promise<void>;
}

const readyWithinMs = 20_000;
const endedWithinMs = 12_000;

export async function startInstances(): Promise<Instances> {
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-torture-'));
  const children: ChildProcess[] = [];
  // Should the run itself die, nothing that it started stays behind, least of all a stopped process.
  const killAll = () => {
    for (const child of children) for (const pid of familyOf(child)) kill(pid, 'SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  };
  process.once('exit', killAll);
  const stop = async () => {
    await Promise.all(children.map(end));
    process.off('exit', killAll);
    rmSync(directory, { recursive: true, force: true });
  };
  const start = async (name: string, workers: number, environment: NodeJS.ProcessEnv = {}): Promise<Instance> => {
    const [port, verifyPort] = [await freePort(), await freePort()];
    const child = spawn('node', ['dist/main.js'], {
      env: {
        PATH: process.env.PATH,
        PORT: String(port),
        VERIFY_PORT: String(verifyPort),
        DATA_DIR: directory,
        DATABASE_URL: `file:${join(directory, 'latchkey.db')}`,
        JWT_SECRET: jwtSecret,
        WORKERS: String(workers),
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    await ready(name, child, workers);
    const [pid = 0, ...workerPids] = familyOf(child);
    return { name, port, verifyPort, pid, workers: workerPids };
  };
  try {
    const b = await start('B', 1, { VERIFY_CACHE_KEYS: '16' });
    const a = await start('A', 2);
    return { a, b, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Every worker says so once in the log: the ports answer as soon as the first one does. */
async function ready(name: string, child: ChildProcess, workers: number): Promise<void> {
  let log = '';
  let timer: NodeJS.Timeout | undefined;
  await new Promise<void>((resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`instance ${name} is not ready`)), readyWithinMs);
    child.once('exit', (code) => reject(new Error(`instance ${name} ended with ${code}`)));
    child.stdout?.on('data', (chunk: Buffer) => {
      log += chunk;
      if (log.split('"msg":"ready"').length > workers) resolve();
    });
  }).finally(() => clearTimeout(timer));
  child.stdout?.removeAllListeners('data').resume();
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  const family = familyOf(child);
  for (const pid of family) kill(pid, 'SIGCONT');
  child.kill('SIGTERM');
  const deadline = setTimeout(() => {
    for (const pid of family) kill(pid, 'SIGKILL');
  }, endedWithinMs);
  await exit;
  clearTimeout(deadline);
}

/** The process and, on Linux, its children. */
function familyOf({ pid, exitCode, signalCode }: ChildProcess): number[] {
  if (pid === undefined || exitCode !== null || signalCode !== null) return [];
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return [pid, ...children.split(' ').filter(Boolean).map(Number)];
  } catch {
    return [pid];
  }
}

export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}
