/** The process of an edge: the verification port, and the metrics port if there is one. */
import type { Server } from 'node:http';
import type { Logger } from 'pino';
import type { Configuration } from '../config/configuration.ts';
import { type EdgeOptions, readEdgeConfiguration } from '../config/edge-configuration.ts';
import { similarVariables } from '../config/similar-variables.ts';
import { urlOf } from '../config/url.ts';
import { createLog } from '../http/log.ts';
import type { Readings } from '../metrics/readings.ts';
import { composeEdge } from './compose/compose-edge.ts';
import { drainServers } from './processes/drain.ts';
import { listen } from './processes/listen.ts';
import { drainTimeoutMs, exitWithProblem, ignorePipeErrors } from './processes/plane-process.ts';
import { type Report, throttledReport } from './processes/throttled-report.ts';

/** Resolves when the edge is ready. The process then runs until it gets a signal. */
export async function runEdge(options: EdgeOptions): Promise<void> {
  ignorePipeErrors();
  try {
    const configuration = readEdgeConfiguration(process.env, options);
    const { port } = configuration;
    const log = createLog(port.LOG_LEVEL);
    for (const problem of similarVariables(process.env)) log.warn(problem);
    const report = throttledReport(log);
    const { gateway, readings, readiness, startDraining, close } = await composeEdge(configuration, report);
    const metricsUrl = await serveEdgeMetrics(port, { edge: readings }, report);
    const host = port.VERIFY_HOST;
    const names = { hostVariable: 'VERIFY_HOST', portVariable: 'VERIFY_PORT' };
    const verifyUrl = urlOf(host, await listen(gateway, { host, port: port.VERIFY_PORT, ...names }));
    stopOnSignal(log, async () => {
      startDraining();
      await drain(gateway, port.DRAIN_GRACE_MS, log);
      await close();
    });
    log.info(
      { verifyUrl, ...(metricsUrl === null ? {} : { metricsUrl }), upstreams: configuration.upstreams },
      'ready',
    );
    // Without this, a wrong upstream would be found by the first request.
    void readiness();
  } catch (error) {
    exitWithProblem(error);
  }
}

async function drain(gateway: Server, graceMs: number, log: Logger): Promise<void> {
  log.info({ graceMs }, 'draining');
  const onCutOff = () => log.warn('requests were still open at the end of the drain');
  await drainServers({ servers: [gateway], graceMs, timeoutMs: drainTimeoutMs, onCutOff });
}

/** The first signal stops the edge after its open requests, a second one immediately. */
function stopOnSignal(log: Logger, stop: () => Promise<void>): void {
  let isStopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (isStopping) process.exit(1);
      isStopping = true;
      stop().then(
        () => {
          log.info('stopped');
          process.exit(0);
        },
        (error) => {
          log.error({ err: error }, 'the edge could not be stopped properly');
          process.exit(1);
        },
      );
    });
  }
}

/** Returns the URL of the metrics, or null without METRICS_PORT. Then no metrics modules are loaded. */
async function serveEdgeMetrics(
  { METRICS_HOST: host, METRICS_PORT: port, METRICS_TOKEN: token }: Configuration,
  readings: Readings,
  report: Report,
): Promise<string | null> {
  if (port === undefined) return null;
  const [{ createMetricsServer }, { metricsOf }] = await Promise.all([
    import('../metrics/server.ts'),
    import('../metrics/exposition.ts'),
  ]);
  const server = createMetricsServer({ read: metricsOf(readings).text, token: token ?? null, report });
  const names = { hostVariable: 'METRICS_HOST', portVariable: 'METRICS_PORT' };
  return urlOf(host, await listen(server, { host, port, ...names }));
}
