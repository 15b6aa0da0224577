/** The built service as processes of a group of their own, started to be killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../support/embedded-postgres.ts';
import { childrenOf } from '../support/processes.ts';
import { jwtSecret } from '../support/service.ts';
import { kill, pause, waitUntilEnded } from './processes.ts';

export interface Place {
  readonly directory: string;
  readonly databaseUrl: string;
  readonly port: number;
  readonly verifyPort: number;
}

/** The same ports from start to start: what a killed process leaves of them must not matter either. */
export async function placeFor(database: { directory: string; url: string }): Promise<Place> {
  return {
    directory: database.directory,
    databaseUrl: database.url,
    port: await freePort(),
    verifyPort: await freePort(),
  };
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  // If the run itself fails, all processes that it started end.
  for (const { pid } of running) if (pid !== undefined) kill(-pid, 'SIGKILL');
});

export class DurableService {
  readonly place: Place;
  readonly startedAt = performance.now();
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown>;
  #log = '';

  constructor(place: Place, workers = 1, launch: readonly [string, ...string[]] = ['node']) {
    this.place = place;
    const [command, ...options] = launch;
    this.#child = spawn(command, [...options, 'dist/main.js'], {
      env: {
        PATH: process.env.PATH,
        PORT: String(place.port),
        VERIFY_PORT: String(place.verifyPort),
        DATA_DIR: place.directory,
        DATABASE_URL: place.databaseUrl,
        JWT_SECRET: jwtSecret,
        WORKERS: String(workers),
        MAX_KEYS_PER_TEAM: '1000000',
        MANAGEMENT_RATE_LIMIT: '1000000',
        LOG_LEVEL: 'warn',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    running.add(this.#child);
    this.#exit = once(this.#child, 'exit').finally(() => running.delete(this.#child));
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (part) => {
        this.#log = (this.#log + String(part)).slice(-4000);
      });
    }
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('the service could not be spawned');
    return this.#child.pid;
  }

  get hasExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** The end of what it wrote. */
  get log(): string {
    return this.#log;
  }

  /** Those that the supervisor started. */
  get processes(): number[] {
    return childrenOf(this.pid);
  }

  /** Milliseconds from the start until it is ready. */
  async ready(timeoutMs: number): Promise<number> {
    const deadline = performance.now() + timeoutMs;
    while (!(await this.#saysReady())) {
      if (this.hasExited) throw new Error(`it ended while it started, with ${this.#child.exitCode}:\n${this.#log}`);
      if (performance.now() > deadline) throw new Error(`it was not ready within ${timeoutMs} ms:\n${this.#log}`);
      await pause(10);
    }
    return performance.now() - this.startedAt;
  }

  async #saysReady(): Promise<boolean> {
    const answers = [this.place.port, this.place.verifyPort].map((port) => saysReady(port));
    return (await Promise.all(answers)).every((isReady) => isReady);
  }

  /** Every process of it at the same moment. */
  async kill(): Promise<void> {
    kill(-this.pid, 'SIGKILL');
    await this.#exit;
  }

  /** The others are left to themselves and must end soon. */
  async killSupervisor(): Promise<void> {
    const processes = this.processes;
    kill(this.pid, 'SIGKILL');
    await this.#exit;
    const left = await waitUntilEnded(processes, 5000);
    for (const pid of left) kill(pid, 'SIGKILL');
    if (left.length > 0) throw new Error('processes outlived their supervisor by 5 s');
  }
}

async function saysReady(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(2500) });
    await answer.text();
    return answer.ok;
  } catch {
    return false;
  }
}
