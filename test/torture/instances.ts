/** Instances of the built service on one database, each with processes of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/embedded-postgres.ts';
import { childrenOf, processesOf } from '../support/processes.ts';
import { jwtSecret } from '../support/service.ts';

export interface Instance {
  readonly name: string;
  readonly port: number;
  readonly verifyPort: number;
  /** Every process, the supervisor first. */
  readonly pids: readonly number[];
  readonly management: number;
  readonly verification: readonly number[];
  /** Whether all of these processes still run. */
  readonly isAlive: () => boolean;
}

export interface InstanceOptions {
  readonly name: string;
  readonly databaseUrl: string;
  readonly workers?: number;
  readonly environment?: NodeJS.ProcessEnv;
}

export interface Instances {
  readonly all: readonly Instance[];
  readonly stop: () => Promise<void>;
}

const readyWithinMs = 20_000;
const endedWithinMs = 12_000;

/** Two on one SQLite database: A with two verification processes, B with one and a tiny cache. */
export async function startSqliteInstances(environment: NodeJS.ProcessEnv = {}): Promise<Instances> {
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-torture-'));
  const removeDirectory = () => rmSync(directory, { recursive: true, force: true });
  process.once('exit', removeDirectory);
  const databaseUrl = `file:${join(directory, 'latchkey.db')}`;
  const instances = await startInstances([
    { name: 'A', databaseUrl, workers: 2, environment },
    { name: 'B', databaseUrl, environment: { ...environment, VERIFY_CACHE_KEYS: '16' } },
  ]);
  return {
    all: instances.all,
    stop: async () => {
      await instances.stop();
      process.off('exit', removeDirectory);
      removeDirectory();
    },
  };
}

export async function startInstances(requested: readonly InstanceOptions[]): Promise<Instances> {
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
  const start = async ({ name, databaseUrl, workers = 1, environment }: InstanceOptions): Promise<Instance> => {
    const [port, verifyPort] = [await freePort(), await freePort()];
    const child = spawn('node', ['dist/main.js'], {
      env: {
        PATH: process.env.PATH,
        PORT: String(port),
        VERIFY_PORT: String(verifyPort),
        DATA_DIR: directory,
        DATABASE_URL: databaseUrl,
        JWT_SECRET: jwtSecret,
        WORKERS: String(workers),
        MANAGEMENT_RATE_LIMIT: '1000000',
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    await ready(name, child);
    const family = familyOf(child);
    const { management, verification } = processesOf(child.pid ?? 0);
    const isAlive = () => familyOf(child).join() === family.join();
    return { name, port, verifyPort, pids: family, management, verification, isAlive };
  };
  try {
    const all: Instance[] = [];
    for (const one of requested) all.push(await start(one));
    return { all, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function ready(name: string, child: ChildProcess): Promise<void> {
  let log = '';
  let timer: NodeJS.Timeout | undefined;
  await new Promise<void>((resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`instance ${name} is not ready`)), readyWithinMs);
    child.once('exit', (code) => reject(new Error(`instance ${name} ended with ${code}`)));
    child.stdout?.on('data', (chunk: Buffer) => {
      log += chunk;
      if (log.includes('"msg":"ready"')) resolve();
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

/** The process and its children. */
function familyOf({ pid, exitCode, signalCode }: ChildProcess): number[] {
  return pid === undefined || exitCode !== null || signalCode !== null ? [] : [pid, ...childrenOf(pid)];
}

export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}
