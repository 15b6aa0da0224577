/** What the management process and the verification processes have in common: start, tell the supervisor, drain. */
import type { Server } from 'node:http';
import type { Logger } from 'pino';
import { type Configuration, ConfigurationError, readConfiguration } from '../config/configuration.ts';
import { createLog } from '../http/log.ts';
import type { Readings } from '../metrics/readings.ts';
import { drainServers } from './drain.ts';
import { type ListenAddress, listen } from './listen.ts';
import { onSupervisorMessage, sendToSupervisor } from './messages.ts';

export interface PlaneProcess {
  readonly server: Server;
  readonly address: ListenAddress;
  /** Whether other processes listen on the same port. */
  readonly sharesPort: boolean;
  readonly readings: Readings;
  readonly startDraining: () => void;
  /** Called when the last request has been answered. */
  readonly close: () => Promise<void>;
}

/** After the grace, open requests are finished within this time; then they are cut off. */
const drainTimeoutMs = 8000;

export async function runPlane(
  open: (configuration: Configuration, log: Logger) => Promise<PlaneProcess>,
): Promise<void> {
  // A terminal or a service manager signals the whole group. Only the supervisor acts on it, and tells us.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => undefined);
  ignorePipeErrors();
  const configuration = readConfiguration(process.env);
  const log = createLog(configuration.LOG_LEVEL);
  let plane: PlaneProcess | undefined;
  onSupervisorMessage(({ kind }) => {
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

/** A terminal that has gone or a full disk behind standard output is no reason to stop serving. */
export function ignorePipeErrors(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

/** Says on standard error why the service cannot start. */
export function exitWithProblem(error: unknown): never {
  if (error instanceof ConfigurationError) {
    const problems = error.problems.map((problem) => `  ${problem}`).join('\n');
    console.error(`Latchkey can't start with this configuration:\n${problems}`);
  } else {
    // Its message may come from a driver, but never contains one of our secrets.
    console.error(`Latchkey can't start: ${error instanceof Error ? error.message : String(error)}`);
  }
  process.exit(1);
}

async function drain(plane: PlaneProcess, graceMs: number, log: Logger): Promise<void> {
  plane.startDraining();
  const onCutOff = () => log.warn('requests were still open at the end of the drain');
  await drainServers({ servers: [plane.server], graceMs, timeoutMs: drainTimeoutMs, onCutOff });
  await plane.close();
  process.exit(0);
}

/** Nothing of the metrics is loaded without METRICS_PORT. */
export async function answerMetrics({ METRICS_PORT }: Configuration, readings: Readings): Promise<void> {
  if (METRICS_PORT === undefined) return;
  const [{ metricsRegistry }, { answerSupervisor }] = await Promise.all([
    import('../metrics/exposition.ts'),
    import('../metrics/process-metrics.ts'),
  ]);
  answerSupervisor(metricsRegistry(readings));
}
