/**
 * The first process starts the other processes, restarts them when they end, and forwards their messages. It serves
 * only the metrics port, so that no other request can end or delay it.
 */
import cluster, { type Worker } from 'node:cluster';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { type Configuration, senderConfiguration } from '../../config/configuration.ts';
import { urlOf } from '../../config/url.ts';
import { entryPoint } from '../../lib/project-files.ts';
import { drainTimeoutMs } from './drain.ts';
import { checkIntervalMs, Heartbeat, restartDelayMs } from './heartbeat.ts';
import { type Callee, hasKind, type Plane, type ToProcess, type ToSupervisor } from './messages.ts';
import { unavailable } from './process-link.ts';

interface Child {
  readonly name: string;
  readonly plane: Plane;
  worker: Worker | null;
  isReady: boolean;
  heartbeat: Heartbeat;
  /** The port that the child listens on, if any. A replacement uses the same port, even if the configuration has 0. */
  port: number | null;
  /** The same for EXT_AUTHZ_PORT; null until it is known. */
  extAuthzPort: number | null;
  restartTimer: NodeJS.Timeout | undefined;
}

/** Times after the drain: first, verification writes the remaining usage; then, management closes the store. */
const verificationCloseMs = 2000;
const managementCloseMs = 3000;

export class Supervisor {
  readonly #configuration: Configuration;
  readonly #log: Logger;
  readonly #management: Child;
  readonly #verification: readonly Child[];
  readonly #sender: Child;
  #metricsUrl: string | null = null;
  #isPrepared = false;
  #hasStarted = false;
  #isStopping = false;
  #exitCode = 0;

  constructor(configuration: Configuration, log: Logger) {
    this.#configuration = configuration;
    this.#log = log;
    const { PORT, VERIFY_PORT, WORKERS } = configuration;
    const childOf = (name: string, plane: Plane, port: number | null): Child => {
      const heartbeat = new Heartbeat(0);
      return {
        name,
        plane,
        port,
        extAuthzPort: null,
        worker: null,
        isReady: false,
        heartbeat,
        restartTimer: undefined,
      };
    };
    this.#management = childOf('management', 'management', PORT);
    this.#verification = Array.from({ length: WORKERS }, (_, i) =>
      childOf(`verification-${i + 1}`, 'verification', VERIFY_PORT),
    );
    this.#sender = childOf('sender', 'sender', null);
  }

  start(metricsUrl: string | null): void {
    this.#metricsUrl = metricsUrl;
    for (const child of this.#children) this.#fork(child);
    setInterval(() => this.#check(), checkIntervalMs);
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => this.#stop());
  }

  get processes(): ReadonlyMap<string, Worker> {
    return new Map(this.#children.flatMap(({ name, worker }) => (worker === null ? [] : [[name, worker] as const])));
  }

  get #children(): readonly Child[] {
    return [this.#management, ...this.#verification, this.#sender];
  }

  #fork(child: Child): void {
    const entry = entryPoint(`service/${child.plane}`);
    cluster.setupPrimary({
      exec: fileURLToPath(entry),
      execArgv: [...process.execArgv, ...(child.plane === 'sender' ? [`--max-old-space-size=${maxSenderHeapMb}`] : [])],
      args: [String(process.pid)],
      serialization: 'advanced',
    });
    const worker = cluster.fork(environmentOf(child));
    child.worker = worker;
    worker.on('message', (message: unknown) => {
      if (hasKind(message)) this.#onMessage(child, message as ToSupervisor);
    });
    worker.on('error', (error) =>
      this.#log.error({ err: error, process: child.name }, 'a message could not be sent to a process'),
    );
    worker.once('exit', (code, signal) => this.#ended(child, code, signal));
  }

  #onMessage(child: Child, message: ToSupervisor): void {
    switch (message.kind) {
      case 'loaded':
        if (this.#isStopping) send(child, { kind: 'drain' });
        else if (child.plane === 'verification' && this.#isPrepared) send(child, { kind: 'open' });
        return;
      case 'prepared':
        this.#isPrepared = true;
        for (const verification of this.#verification) send(verification, { kind: 'open' });
        return;
      case 'ready':
        this.#ready(child, message);
        return;
      case 'pong':
        child.heartbeat.answered();
        return;
      case 'welcomed':
        this.#logReady();
        return;
      case 'call': {
        const { to } = message.call;
        const callee = this.#callee(to);
        if (callee.isReady) send(callee, { ...message, from: child.name });
        else send(child, { kind: 'reply', id: message.id, outcome: unavailable(to) });
        return;
      }
      case 'cancel':
        send(this.#callee(message.to), { kind: 'cancel', id: message.id });
        return;
      case 'progress':
      case 'reply': {
        const { to, ...forwarded } = message;
        const caller = this.#children.find(({ name }) => name === to);
        if (caller !== undefined) send(caller, forwarded);
      }
    }
  }

  #callee(callee: Callee): Child {
    return callee === 'management' ? this.#management : this.#sender;
  }

  #ready(child: Child, { port, extAuthzPort }: Pick<Child, 'port' | 'extAuthzPort'>): void {
    child.isReady = true;
    child.port = port;
    child.extAuthzPort = extAuthzPort;
    const [first] = this.#verification;
    if (first?.isReady && first.port !== null) send(this.#management, { kind: 'verification-port', port: first.port });
    if (this.#sender.isReady) send(this.#management, { kind: 'sender-ready' });
    if (this.#hasStarted) this.#log.info({ process: child.name }, 'a process is ready again');
    else if (this.#children.every(({ isReady }) => isReady)) {
      this.#hasStarted = true;
      send(this.#management, { kind: 'started' });
    }
  }

  #logReady(): void {
    const { HOST, VERIFY_HOST, EXT_AUTHZ_HOST } = this.#configuration;
    const url = urlOf(HOST, this.#management.port ?? 0);
    const { port, extAuthzPort = null } = this.#verification[0] ?? {};
    const others = {
      ...(extAuthzPort === null ? {} : { extAuthzUrl: urlOf(EXT_AUTHZ_HOST, extAuthzPort) }),
      ...(this.#metricsUrl === null ? {} : { metricsUrl: this.#metricsUrl }),
    };
    this.#log.info({ url, verifyUrl: urlOf(VERIFY_HOST, port ?? 0), ...others }, 'ready');
  }

  /** Checks ready processes only: a process that starts may be migrating the database or waiting for it. */
  #check(): void {
    for (const child of this.#children) {
      if (!child.isReady) continue;
      const state = child.heartbeat.check();
      if (state === 'ping') send(child, { kind: 'ping' });
      else if (state === 'stuck') this.#kill([child], 'a process does not answer; it is killed');
    }
  }

  /** Ends processes with SIGKILL, even if they are suspended or their event loop is blocked. */
  #kill(children: readonly Child[], message: string): void {
    for (const { name, worker } of children) {
      if (worker === null) continue;
      this.#log.error({ process: name }, message);
      worker.process.kill('SIGKILL');
    }
  }

  #ended(child: Child, code: number | null, signal: string | null): void {
    child.worker = null;
    child.isReady = false;
    if (child.plane !== 'verification') {
      for (const caller of this.#children) send(caller, { kind: 'ended', callee: child.plane });
    }
    if (this.#isStopping) {
      if (child !== this.#sender) this.#exitCode ||= code ?? 1;
      this.#stopNext();
    } else if (this.#hasStarted) {
      const { failures } = child.heartbeat;
      child.heartbeat = new Heartbeat(failures);
      const restartMs = restartDelayMs(failures);
      this.#log.error({ process: child.name, code, signal, restartMs }, 'a process ended; it will be restarted');
      child.restartTimer = setTimeout(() => this.#fork(child), restartMs);
    } else {
      // The process has printed the error on standard error; a restart would fail again.
      this.#exitCode = code || 1;
      this.#stop();
    }
  }

  /** Drains the processes. A second call ends them immediately. */
  #stop(): void {
    if (this.#isStopping) {
      this.#log.warn('ended immediately by a second signal');
      for (const { worker } of this.#children) worker?.process.kill('SIGKILL');
      process.exit(1);
    }
    this.#isStopping = true;
    const graceMs = this.#configuration.DRAIN_GRACE_MS;
    if (this.#hasStarted) this.#log.info({ graceMs }, 'draining');
    for (const child of this.#children) {
      clearTimeout(child.restartTimer);
      if (child.plane !== 'sender') send(child, { kind: 'drain' });
    }
    // Verification is killed first, so that management can still close the store.
    const verificationMs = graceMs + drainTimeoutMs + verificationCloseMs;
    const message = 'a process did not stop in time; it is killed';
    setTimeout(() => this.#kill(this.#verification, message), verificationMs);
    setTimeout(() => this.#kill([this.#management], message), verificationMs + managementCloseMs);
    this.#stopNext();
  }

  #stopNext(): void {
    if (this.#verification.some(({ worker }) => worker !== null)) return;
    if (this.#management.worker !== null) send(this.#management, { kind: 'close' });
    // Management has stopped, so there is nothing that the sender could still finish.
    else if (this.#sender.worker !== null) this.#sender.worker.process.kill('SIGKILL');
    else {
      if (this.#hasStarted) this.#log.info('stopped');
      process.exit(this.#exitCode);
    }
  }
}

/** What 1,000 requests at the same time need is a tenth of this. */
const maxSenderHeapMb = 256;

/** Returns the changes to the environment of this process: `undefined` removes a variable. */
function environmentOf({ plane, port, extAuthzPort }: Child): NodeJS.ProcessEnv {
  if (plane === 'sender') return senderConfiguration(process.env);
  return {
    [plane === 'management' ? 'PORT' : 'VERIFY_PORT']: String(port),
    ...(extAuthzPort === null ? {} : { EXT_AUTHZ_PORT: String(extAuthzPort) }),
  };
}

function send({ worker }: Child, message: ToProcess): void {
  if (worker?.isConnected()) worker.send(message);
}
