/**
 * The first process: it starts one management process and WORKERS verification processes, starts those again that end,
 * and passes messages on between them. It serves no port but that of metrics, so that no request can end or delay it.
 */
import cluster, { type Worker } from 'node:cluster';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import type { Configuration } from '../config/configuration.ts';
import { urlOf } from '../config/url.ts';
import { managementUnavailable } from './control-plane-link.ts';
import { hasKind, type Plane, type ToProcess, type ToSupervisor } from './messages.ts';
import { restartDelayMs } from './restart-delay.ts';

/** The place of a process. A replacement takes the place of the process that ended. */
interface Place {
  readonly name: string;
  readonly plane: Plane;
  worker: Worker | null;
  isReady: boolean;
  /** The port that it listens on; it stays the same where the configuration says 0. */
  port: number;
  restartTimer: NodeJS.Timeout | undefined;
  /** How often in a row it ended before it was stable. */
  failures: number;
}

/** A process that was ready for so long starts with the shortest delay again. */
const stableMs = 30_000;

export class Supervisor {
  readonly #configuration: Configuration;
  readonly #log: Logger;
  readonly #management: Place;
  readonly #verification: readonly Place[];
  #metricsUrl: string | null = null;
  #isPrepared = false;
  #hasStarted = false;
  #isStopping = false;
  #exitCode = 0;

  constructor(configuration: Configuration, log: Logger) {
    this.#configuration = configuration;
    this.#log = log;
    const { PORT, VERIFY_PORT, WORKERS } = configuration;
    this.#management = placeOf('management', 'management', PORT);
    this.#verification = Array.from({ length: WORKERS }, (_, i) =>
      placeOf(`verification-${i + 1}`, 'verification', VERIFY_PORT),
    );
  }

  start(metricsUrl: string | null): void {
    this.#metricsUrl = metricsUrl;
    for (const place of this.#places) this.#fork(place);
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => this.#stop());
  }

  /** The running processes by name. */
  get processes(): ReadonlyMap<string, Worker> {
    return new Map(this.#places.flatMap(({ name, worker }) => (worker === null ? [] : [[name, worker] as const])));
  }

  get #places(): readonly Place[] {
    return [this.#management, ...this.#verification];
  }

  #fork(place: Place): void {
    // Of two files with the same name, source and build, the one of our own kind.
    const entry = new URL(`../service/${place.plane}${extname(import.meta.filename)}`, import.meta.url);
    cluster.setupPrimary({ exec: fileURLToPath(entry), args: [], serialization: 'advanced' });
    const worker = cluster.fork({ [place.plane === 'management' ? 'PORT' : 'VERIFY_PORT']: String(place.port) });
    const startedAt = performance.now();
    place.worker = worker;
    worker.on('message', (message: unknown) => {
      if (hasKind(message)) this.#hear(place, message as ToSupervisor);
    });
    worker.on('error', (error) => this.#log.error({ err: error, process: place.name }, 'a process could not be told'));
    worker.once('exit', (code, signal) => this.#ended(place, { code, signal, ranMs: performance.now() - startedAt }));
  }

  #hear(place: Place, message: ToSupervisor): void {
    switch (message.kind) {
      case 'loaded':
        if (this.#isStopping) tell(place, { kind: 'drain' });
        else if (place.plane === 'verification' && this.#isPrepared) tell(place, { kind: 'open' });
        return;
      case 'prepared':
        this.#isPrepared = true;
        for (const verification of this.#verification) tell(verification, { kind: 'open' });
        return;
      case 'ready':
        this.#ready(place, message.port);
        return;
      case 'greeted':
        this.#logReady();
        return;
      case 'call':
        if (this.#management.isReady) tell(this.#management, { ...message, from: place.name });
        else tell(place, { kind: 'reply', id: message.id, outcome: managementUnavailable });
        return;
      case 'reply': {
        const caller = this.#verification.find(({ name }) => name === message.to);
        if (caller !== undefined) tell(caller, { kind: 'reply', id: message.id, outcome: message.outcome });
      }
    }
  }

  #ready(place: Place, port: number): void {
    place.isReady = true;
    place.port = port;
    const [first] = this.#verification;
    if (first?.isReady) tell(this.#management, { kind: 'verification-port', port: first.port });
    if (this.#hasStarted) this.#log.info({ process: place.name }, 'a process is ready again');
    else if (this.#places.every(({ isReady }) => isReady)) this.#started();
  }

  #started(): void {
    this.#hasStarted = true;
    tell(this.#management, { kind: 'started' });
  }

  #logReady(): void {
    const { HOST, VERIFY_HOST } = this.#configuration;
    const url = urlOf(HOST, this.#management.port);
    const verifyUrl = urlOf(VERIFY_HOST, this.#verification[0]?.port ?? 0);
    this.#log.info({ url, verifyUrl, ...(this.#metricsUrl === null ? {} : { metricsUrl: this.#metricsUrl }) }, 'ready');
  }

  #ended(place: Place, { code, signal, ranMs }: { code: number | null; signal: string | null; ranMs: number }): void {
    place.worker = null;
    place.isReady = false;
    if (place.plane === 'management')
      for (const caller of this.#verification) tell(caller, { kind: 'management-ended' });
    if (this.#isStopping) {
      this.#exitCode ||= code ?? 1;
      this.#stopNext();
    } else if (this.#hasStarted) {
      place.failures = ranMs > stableMs ? 0 : place.failures + 1;
      const restartMs = restartDelayMs(place.failures);
      this.#log.error({ process: place.name, code, signal, restartMs }, 'a process ended; it is started again');
      place.restartTimer = setTimeout(() => this.#fork(place), restartMs);
    } else {
      // It has said on standard error what is wrong; trying again would not change that.
      this.#exitCode = code || 1;
      this.#stop();
    }
  }

  /** The first time the processes drain, the second time they end immediately. */
  #stop(): void {
    if (this.#isStopping) {
      this.#log.warn('ended at once, by a second signal');
      for (const { worker } of this.#places) worker?.process.kill('SIGKILL');
      process.exit(1);
    }
    this.#isStopping = true;
    if (this.#hasStarted) this.#log.info({ graceMs: this.#configuration.DRAIN_GRACE_MS }, 'draining');
    for (const place of this.#places) {
      clearTimeout(place.restartTimer);
      tell(place, { kind: 'drain' });
    }
    this.#stopNext();
  }

  #stopNext(): void {
    if (this.#verification.some(({ worker }) => worker !== null)) return;
    if (this.#management.worker !== null) tell(this.#management, { kind: 'close' });
    else {
      if (this.#hasStarted) this.#log.info('stopped');
      process.exit(this.#exitCode);
    }
  }
}

function placeOf(name: string, plane: Plane, port: number): Place {
  return { name, plane, port, worker: null, isReady: false, restartTimer: undefined, failures: 0 };
}

function tell({ worker }: Place, message: ToProcess): void {
  if (worker?.isConnected()) worker.send(message);
}
