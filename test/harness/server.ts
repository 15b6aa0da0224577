/** The built service, or an edge, as processes of their own. They keep their ports when they are started again. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../support/free-port.ts';
import { type Host, hostOf, placePort, thisHost } from '../support/hosts.ts';
import { childrenOf, kill, processesOf, waitUntilEnded } from '../support/processes.ts';
import { jwtSecret } from '../support/service.ts';

export interface ServiceOptions {
  readonly name?: string;
  /** For DATA_DIR. */
  readonly directory: string;
  readonly environment?: NodeJS.ProcessEnv;
  readonly host?: Host;
  /** The limit of each process. */
  readonly maxOpenFiles?: number;
  /** Keeps the end of what it writes, for errors. Otherwise its log is dropped, which costs less. */
  readonly keepLog?: boolean;
}

interface Program {
  readonly name: string;
  /** The management port comes first, if there is one. */
  readonly ports: readonly number[];
  readonly command: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly host: Host;
  readonly keepLog: boolean;
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const { pid } of running) if (pid !== undefined) kill(-pid, 'SIGKILL');
});

const stopTimeoutMs = 12_000;

export class Server {
  readonly name: string;
  readonly port: number;
  readonly verifyPort: number;
  readonly #program: Program;
  #child: ChildProcess | null = null;
  #exit: Promise<unknown> = Promise.resolve();
  #startedAt = 0;
  #pidsWhenReady: readonly number[] = [];
  #log = '';

  private constructor(program: Program) {
    const { name, ports, host } = program;
    for (const port of ports) placePort(port, host);
    this.#program = program;
    this.name = name;
    this.port = ports[0] ?? 0;
    this.verifyPort = ports.at(-1) ?? 0;
  }

  /** A service that is not started yet. */
  static async service(options: ServiceOptions): Promise<Server> {
    const { name = 'the service', directory, environment: own, host = thisHost } = options;
    const { maxOpenFiles, keepLog = false } = options;
    const ports = [await freePort(), await freePort()];
    const limited = ['sh', '-c', `ulimit -n ${maxOpenFiles}; exec node dist/main.js`];
    const command = maxOpenFiles === undefined ? ['node', 'dist/main.js'] : limited;
    const [PORT, VERIFY_PORT] = ports.map(String);
    const secret = { JWT_SECRET: jwtSecret, MANAGEMENT_RATE_LIMIT: '100000000' };
    const environment = { PORT, VERIFY_PORT, DATA_DIR: directory, ...secret, ...own };
    return new Server({ name, ports, command, environment, host, keepLog });
  }

  static async startService(options: ServiceOptions): Promise<Server> {
    return await (await Server.service(options)).start();
  }

  static async startEdge(
    upstreams: readonly string[],
    environment: NodeJS.ProcessEnv = {},
    name = 'the edge',
    host = thisHost,
  ): Promise<Server> {
    const port = await freePort();
    const urls = upstreams.flatMap((url) => ['--upstream', url]);
    const command = ['node', 'dist/cli/latchkey.js', 'edge', '--port', String(port), ...urls];
    return await new Server({ name, ports: [port], command, environment, host, keepLog: false }).start();
  }

  get url(): string {
    return `http://${this.#program.host.address}:${this.port}`;
  }

  get verifyUrl(): string {
    return `http://${this.#program.host.address}:${this.verifyPort}`;
  }

  get pid(): number {
    const pid = this.#child?.pid;
    if (pid === undefined) throw new Error(`${this.name} was not started`);
    return pid;
  }

  /** Its process and those that it started; empty when it has ended. */
  get pids(): readonly number[] {
    return this.#hasEnded ? [] : [this.pid, ...childrenOf(this.pid)];
  }

  get management(): number {
    return processesOf(this.pid).management;
  }

  get verification(): readonly number[] {
    return processesOf(this.pid).verification;
  }

  /** Whether all processes that ran when it was ready still run. */
  get isAlive(): boolean {
    return this.pids.join() === this.#pidsWhenReady.join();
  }

  get #hasEnded(): boolean {
    return this.#child === null || this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Resolves when it is ready. */
  async start(): Promise<this> {
    this.spawn();
    await this.ready();
    return this;
  }

  /** `launcher`: a program that runs it, such as strace. */
  spawn(environment: NodeJS.ProcessEnv = {}, launcher: readonly string[] = []): void {
    const { command, environment: own, host, keepLog } = this.#program;
    const [file = '', ...options] = [...host.launcher, ...launcher, ...command];
    const child = spawn(file, options, {
      env: { PATH: process.env.PATH, ...own, ...environment },
      stdio: ['ignore', keepLog ? 'pipe' : 'ignore', keepLog ? 'pipe' : 'inherit'],
      // A process group of its own, which can be killed at once.
      detached: true,
    });
    this.#startedAt = performance.now();
    this.#log = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (part) => {
        this.#log = (this.#log + String(part)).slice(-4000);
      });
    }
    running.add(child);
    this.#child = child;
    this.#exit = once(child, 'exit').finally(() => running.delete(child));
  }

  /** Returns the time from its start until all ports answered /readyz with 200. */
  async ready(timeoutMs = 180_000): Promise<number> {
    const deadline = performance.now() + timeoutMs;
    while (!(await Promise.all(this.#program.ports.map(isReady))).every(Boolean)) {
      if (this.#hasEnded) throw new Error(`${this.name} ended before it was ready:\n${this.#log}`);
      if (performance.now() > deadline)
        throw new Error(`${this.name} was not ready after ${timeoutMs} ms:\n${this.#log}`);
      // The requests must not slow down its start.
      await pause(5);
    }
    this.#pidsWhenReady = this.pids;
    return performance.now() - this.#startedAt;
  }

  /** Ends its processes, also if they are stopped by SIGSTOP. */
  async stop(): Promise<void> {
    if (this.#hasEnded) return;
    for (const pid of this.pids) kill(pid, 'SIGCONT');
    kill(this.pid, 'SIGTERM');
    const timer = setTimeout(() => kill(-this.pid, 'SIGKILL'), stopTimeoutMs);
    await this.#exit;
    clearTimeout(timer);
  }

  /** Kills all its processes at the same moment. */
  async kill(): Promise<void> {
    if (!this.#hasEnded) kill(-this.pid, 'SIGKILL');
    await this.#exit;
  }

  /** Kills its first process. The others must then end by themselves. */
  async killSupervisor(): Promise<void> {
    const children = childrenOf(this.pid);
    kill(this.pid, 'SIGKILL');
    await this.#exit;
    const left = await waitUntilEnded(children, 5000);
    for (const pid of left) kill(pid, 'SIGKILL');
    if (left.length > 0) throw new Error('processes outlived their supervisor by 5 s');
  }
}

async function isReady(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const to = { host: hostOf(port).address, port };
    const outgoing = get({ ...to, path: '/readyz', agent: false, timeout: 2500 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    outgoing.on('timeout', () => outgoing.destroy()).on('error', () => resolve(false));
  });
}
