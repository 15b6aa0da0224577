/** A PostgreSQL that can be killed, and started again on the files that it leaves. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startPostgres, type TemporaryPostgres } from '../support/embedded-postgres.ts';
import { childrenOf } from '../support/processes.ts';
import { kill, pause, waitUntilEnded } from './processes.ts';

/** How the server was started, to start it again in the same way. */
interface Launch {
  readonly program: string;
  readonly options: readonly string[];
  readonly uid: number;
  readonly gid: number;
}

const endedWithinMs = 20_000;
const startedWithinMs = 30_000;

export class KillablePostgres {
  readonly url: string;
  readonly #first: TemporaryPostgres;
  readonly #launch: Launch;
  #pid: number;
  #child: ChildProcess | null = null;
  #isStopped = false;

  private constructor(first: TemporaryPostgres) {
    this.url = first.url;
    this.#first = first;
    this.#pid = Number(readFileSync(join(first.directory, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
    this.#launch = launchOf(this.#pid);
    process.once('exit', () => this.#abandon());
  }

  static async start(): Promise<KillablePostgres> {
    return new KillablePostgres(await startPostgres());
  }

  /** SIGKILL ends the server alone, whose sessions then end by themselves; SIGQUIT is its `immediate` shutdown. */
  async kill(signal: 'SIGKILL' | 'SIGQUIT'): Promise<void> {
    const family = [this.#pid, ...childrenOf(this.#pid)];
    kill(this.#pid, signal);
    const left = await waitUntilEnded(family, endedWithinMs);
    if (left.length > 0) throw new Error(`PostgreSQL did not end upon ${signal}`);
  }

  async restart(): Promise<void> {
    const { program, options, uid, gid } = this.#launch;
    const asRoot = process.getuid?.() === 0;
    const child = spawn(program, options, { ...(asRoot ? { uid, gid } : {}), stdio: ['ignore', 'ignore', 'pipe'] });
    this.#child = child;
    this.#pid = child.pid ?? 0;
    let log = '';
    child.stderr?.on('data', (part) => {
      log = (log + String(part)).slice(-4000);
    });
    const deadline = performance.now() + startedWithinMs;
    while (!log.includes('ready to accept connections')) {
      if (child.exitCode !== null || performance.now() > deadline) throw new Error(`PostgreSQL did not start:\n${log}`);
      await pause(10);
    }
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#isStopped = true;
    if (child === null) {
      await this.#first.stop();
      return;
    }
    // The package waits for ever for the end of a server that it did not start.
    const exit = once(child, 'exit');
    kill(this.#pid, 'SIGINT');
    await exit;
    this.#removeFiles();
  }

  /** If the run itself fails. */
  #abandon(): void {
    if (this.#isStopped) return;
    kill(this.#pid, 'SIGKILL');
    this.#removeFiles();
  }

  #removeFiles(): void {
    rmSync(join(this.#first.directory, '..'), { recursive: true, force: true });
  }
}

function launchOf(pid: number): Launch {
  const [, ...options] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean);
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const id = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  return { program: readlinkSync(`/proc/${pid}/exe`), options, uid: id('Uid'), gid: id('Gid') };
}
