/** Where metrics are served: by the only process, or by the primary for all workers. Nothing of it is loaded unasked. */
import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';
import type { Configuration } from './config.ts';
import { listen } from './listen.ts';
import type { Readings } from './metrics/readings.ts';
import { createMetricsServer } from './metrics/server.ts';
import { sparingReport } from './sparing-report.ts';
import { urlOf } from './welcome.ts';

type MetricsConfiguration = Pick<Configuration, 'METRICS_PORT' | 'METRICS_HOST' | 'METRICS_TOKEN'>;

interface Measured {
  readonly readings: () => Readings;
  readonly log: Logger;
}

/**
 * For a process that serves; answers the URL, and null where it has none. The port goes on until the very end, so that
 * a drain can be watched.
 */
export async function serveMetrics(
  configuration: MetricsConfiguration,
  { readings, log }: Measured,
): Promise<string | null> {
  if (configuration.METRICS_PORT === undefined) return null;
  const { metricsRegistry } = await import('./metrics/exposition.ts');
  const registry = metricsRegistry(readings);
  if (cluster.isPrimary) return await serve(configuration, log, () => registry.metrics());
  const { answerPrimary } = await import('./metrics/worker-metrics.ts');
  answerPrimary(registry);
  return null;
}

/** For the primary of workers, each of which has a place. */
export async function serveMetricsOfWorkers(
  configuration: MetricsConfiguration,
  log: Logger,
  places: ReadonlyMap<Worker, number>,
): Promise<void> {
  if (configuration.METRICS_PORT === undefined) return;
  const { askWorkers } = await import('./metrics/worker-metrics.ts');
  const metricsUrl = await serve(configuration, log, () => askWorkers(places));
  log.info({ metricsUrl }, 'metrics');
}

async function serve(
  { METRICS_PORT = 0, METRICS_HOST, METRICS_TOKEN }: MetricsConfiguration,
  log: Logger,
  read: () => Promise<string>,
): Promise<string> {
  const server = createMetricsServer({ read, token: METRICS_TOKEN ?? null, report: sparingReport(log) });
  return urlOf(METRICS_HOST, await listen(server, METRICS_HOST, METRICS_PORT));
}
