/** The lifecycle of the processes under the supervisor: start, messages to the supervisor, drain. */
import type { Server } from 'node:http';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { type Configuration, ConfigurationError, readConfiguration } from '../../config/configuration.ts';
import type { ExtAuthzPort } from '../../gateway/ext-authz/server.ts';
import { entryPoint } from '../../lib/project-files.ts';
import type { Readings } from '../../metrics/readings.ts';
import { answerMetrics } from '../compose/observability.ts';
import { createLog, logWarnings } from '../log.ts';
import { drainPorts } from './drain.ts';
import { listen, type PortPrefix } from './listen.ts';
import { onSupervisorMessage, sendToSupervisor } from './messages.ts';

/** The ports of a plane. */
interface Ports {
  readonly server: Server;
  readonly port: PortPrefix;
  /** Null if the plane has none, or if EXT_AUTHZ_PORT is not set. */
  readonly extAuthz: ExtAuthzPort | null;
  readonly sharesPort: boolean;
}

export type PlaneProcess = (Ports | { readonly server: null }) & {
  readonly readings: Readings;
  readonly startDraining: () => void;
  /** Called after the last request has been answered. */
  readonly close: () => Promise<void>;
};

export async function runPlane(
  open: (configuration: Configuration, log: Logger) => Promise<PlaneProcess>,
): Promise<void> {
  // A terminal or a service manager signals the process group. Only the supervisor acts on signals, and sends 'drain'.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => undefined);
  ignorePipeErrors();
  endWithSupervisor(Number(process.argv[2]));
  const configuration = readConfiguration(process.env);
  const log = createLog(configuration.LOG_LEVEL);
  logWarnings(log);
  let plane: PlaneProcess | undefined;
  const drain = async (opened: PlaneProcess) => {
    opened.startDraining();
    if (opened.server !== null) {
      await drainPorts(opened.server, opened.extAuthz, configuration.DRAIN_GRACE_MS, log);
    }
    await opened.close();
    process.exit(0);
  };
  onSupervisorMessage(({ kind }) => {
    if (kind === 'ping') sendToSupervisor({ kind: 'pong' });
    if (kind !== 'drain') return;
    if (plane === undefined) process.exit(0);
    else void drain(plane);
  });
  sendToSupervisor({ kind: 'loaded' });
  try {
    const opened = await open(configuration, log);
    await answerMetrics(configuration, opened.readings);
    const ports = opened.server === null ? { port: null, extAuthzPort: null } : await listenAt(configuration, opened);
    plane = opened;
    sendToSupervisor({ kind: 'ready', ...ports });
  } catch (error) {
    exitWithProblem(error);
  }
}

async function listenAt(configuration: Configuration, { server, port: prefix, extAuthz, sharesPort }: Ports) {
  const port = await listen(server, configuration, prefix, !sharesPort);
  const extAuthzPort =
    extAuthz === null ? null : await listen(extAuthz.server, configuration, 'EXT_AUTHZ_', !sharesPort);
  return { port, extAuthzPort };
}

/** Ignores write errors of standard output, so that a closed terminal or a full disk does not end the service. */
export function ignorePipeErrors(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

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

/** Ends this process when the supervisor ends. Node does this too, but not while the event loop is blocked. */
function endWithSupervisor(supervisorPid: number): void {
  const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 };
  const entry = entryPoint('service/processes/watchdog-thread');
  new Worker(entry, { workerData: supervisorPid, resourceLimits, execArgv: [] }).unref();
}
