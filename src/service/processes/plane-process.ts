/** The lifecycle of management and verification processes: start, report to the supervisor, drain. */
import type { Server } from 'node:http';
import type { Logger } from 'pino';
import { type Configuration, ConfigurationError, readConfiguration } from '../../config/configuration.ts';
import { createLog } from '../../http/log.ts';
import type { Readings } from '../../metrics/readings.ts';
import { drainServer } from './drain.ts';
import { type ListenAddress, listen } from './listen.ts';
import { onSupervisorMessage, sendToSupervisor } from './messages.ts';
import { endWithSupervisor } from './watchdog.ts';

export interface PlaneProcess {
  readonly server: Server;
  readonly address: ListenAddress;
  /** Whether other processes listen on the same port. */
  readonly sharesPort: boolean;
  readonly readings: Readings;
  readonly startDraining: () => void;
  /** Called after the last request has been answered. */
  readonly close: () => Promise<void>;
}

export async function runPlane(
  open: (configuration: Configuration, log: Logger) => Promise<PlaneProcess>,
): Promise<void> {
  // A terminal or a service manager signals the whole group. Only the supervisor handles it, and sends 'drain'.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => undefined);
  ignorePipeErrors();
  endWithSupervisor(Number(process.argv[2]));
  const configuration = readConfiguration(process.env);
  const log = createLog(configuration.LOG_LEVEL);
  let plane: PlaneProcess | undefined;
  onSupervisorMessage(({ kind }) => {
    if (kind === 'ping') sendToSupervisor({ kind: 'pong' });
    if (kind !== 'drain') return;
    if (plane === undefined) process.exit(0);
    else void drain(plane, configuration.DRAIN_GRACE_MS, log);
  });
  sendToSupervisor({ kind: 'loaded' });
  try {
    const opened = await open(configuration, log);
    const { server, address, sharesPort } = opened;
    await answerMetrics(configuration, opened.readings);
    const listening = await listen(server, address, !sharesPort);
    plane = opened;
    sendToSupervisor({ kind: 'ready', port: listening });
  } catch (error) {
    exitWithProblem(error);
  }
}

/** Ignores errors of standard output and error, such as a closed terminal or a full disk, which must not end the service. */
export function ignorePipeErrors(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

/** Prints on standard error why the service can't start, and exits. */
export function exitWithProblem(error: unknown): never {
  if (error instanceof ConfigurationError) {
    const problems = error.problems.map((problem) => `  ${problem}`).join('\n');
    console.error(`Latchkey can't start with this configuration:\n${problems}`);
  } else {
    // The message may come from a driver, but never contains a secret.
    console.error(`Latchkey can't start: ${error instanceof Error ? error.message : String(error)}`);
  }
  process.exit(1);
}

async function drain(plane: PlaneProcess, graceMs: number, log: Logger): Promise<void> {
  plane.startDraining();
  await drainServer(plane.server, graceMs, log);
  await plane.close();
  process.exit(0);
}

/** Provides this process's metrics to the supervisor. Loads the metrics modules only with METRICS_PORT. */
export async function answerMetrics({ METRICS_PORT }: Configuration, readings: Readings): Promise<void> {
  if (METRICS_PORT === undefined) return;
  const [{ metricsOf }, { answerSupervisor }] = await Promise.all([
    import('../../metrics/exposition.ts'),
    import('../../metrics/process-metrics.ts'),
  ]);
  answerSupervisor(metricsOf(readings));
}
