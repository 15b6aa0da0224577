/** The process of an edge: the verification port and, if configured, the metrics port. */
import type { Logger } from 'pino';
import { similarVariables } from '../config/configuration.ts';
import { type EdgeOptions, readEdgeConfiguration } from '../config/edge-configuration.ts';
import { urlOf } from '../config/url.ts';
import { composeEdge } from './compose/compose-edge.ts';
import { serveMetrics } from './compose/observability.ts';
import { createLog, logWarnings } from './log.ts';
import { drainPorts } from './processes/drain.ts';
import { listen } from './processes/listen.ts';
import { exitWithProblem, ignorePipeErrors } from './processes/plane-process.ts';
import { throttledReport } from './processes/throttled-report.ts';

export async function runEdge(options: EdgeOptions): Promise<void> {
  ignorePipeErrors();
  try {
    const configuration = readEdgeConfiguration(process.env, options);
    const { port } = configuration;
    const log = createLog(port.LOG_LEVEL);
    logWarnings(log);
    for (const problem of similarVariables(process.env)) log.warn(problem);
    const report = throttledReport(log);
    const edge = await composeEdge(configuration, report);
    const { gateway, extAuthz, readings, readiness, startDraining, close } = edge;
    const metricsUrl = await serveMetrics(port, report, async () => {
      const { metricsOf } = await import('../metrics/exposition.ts');
      return metricsOf({ edge: readings }).text;
    });
    const verifyUrl = urlOf(port.VERIFY_HOST, await listen(gateway, port, 'VERIFY_'));
    const extAuthzUrl =
      extAuthz === null ? null : urlOf(port.EXT_AUTHZ_HOST, await listen(extAuthz.server, port, 'EXT_AUTHZ_'));
    stopOnSignal(log, async () => {
      startDraining();
      log.info({ graceMs: port.DRAIN_GRACE_MS }, 'draining');
      await drainPorts(gateway, extAuthz, port.DRAIN_GRACE_MS, log);
      await close();
    });
    log.info(
      {
        verifyUrl,
        ...(extAuthzUrl === null ? {} : { extAuthzUrl }),
        ...(metricsUrl === null ? {} : { metricsUrl }),
        upstreams: configuration.upstreams,
      },
      'ready',
    );
    // Reports a wrong upstream now, instead of with the first verification.
    void readiness();
  } catch (error) {
    exitWithProblem(error);
  }
}

/** Stops the edge at the first signal, after the open requests. A second signal stops it immediately. */
function stopOnSignal(log: Logger, stop: () => Promise<void>): void {
  let isStopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (isStopping) process.exit(1);
      isStopping = true;
      stop()
        .then(
          () => log.info('stopped'),
          (error) => {
            log.error({ err: error }, 'the edge could not be stopped properly');
            process.exitCode = 1;
          },
        )
        .finally(() => process.exit());
    });
  }
}
