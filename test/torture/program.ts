/** A built program as a process of its own, with its children, that can be restarted. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { childrenOf } from '../support/processes.ts';

export interface ProgramOptions {
  readonly name: string;
  /** What node is started with. */
  readonly command: readonly string[];
  /** It has nothing else of this environment but the path to node. */
  readonly environment: NodeJS.ProcessEnv;
}

const readyWithinMs = 20_000;
const endedWithinMs = 12_000;

export class Program {
  readonly name: string;
  readonly #options: ProgramOptions;
  #child: ChildProcess | null = null;
  /** The processes that were there when it was ready. */
  #family: readonly number[] = [];

  constructor(options: ProgramOptions) {
    this.name = options.name;
    this.#options = options;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** The process and its children; empty when it has ended. */
  get pids(): readonly number[] {
    return familyOf(this.#child);
  }

  /** Whether all processes that were started still run. */
  get isAlive(): boolean {
    return this.pids.join() === this.#family.join();
  }

  /** Resolves when it is ready. */
  async start(): Promise<void> {
    const { command, environment } = this.#options;
    const child = spawn('node', command, {
      env: { PATH: process.env.PATH, ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    await ready(this.name, child);
    this.#family = this.pids;
  }

  /** Ends it by this signal, and starts it again. Resolves when it is ready. */
  async restart(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await this.end(signal);
    await this.start();
  }

  async end(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const child = this.#child;
    const family = this.pids;
    if (child === null || family.length === 0) return;
    const exit = once(child, 'exit');
    for (const pid of family) kill(pid, 'SIGCONT');
    if (signal === 'SIGTERM') child.kill(signal);
    else this.kill();
    const deadline = setTimeout(() => {
      for (const pid of family) kill(pid, 'SIGKILL');
    }, endedWithinMs);
    await exit;
    clearTimeout(deadline);
  }

  kill(): void {
    for (const pid of this.pids) kill(pid, 'SIGKILL');
  }
}

async function ready(name: string, child: ChildProcess): Promise<void> {
  let log = '';
  let timer: NodeJS.Timeout | undefined;
  await new Promise<void>((resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${name} is not ready`)), readyWithinMs);
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code}`)));
    child.stdout?.on('data', (chunk: Buffer) => {
      log += chunk;
      if (log.includes('"msg":"ready"')) resolve();
    });
  }).finally(() => clearTimeout(timer));
  child.stdout?.removeAllListeners('data').resume();
}

function familyOf(child: ChildProcess | null): number[] {
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return [];
  return [child.pid, ...childrenOf(child.pid)];
}

export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}
