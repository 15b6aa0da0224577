import type { Worker } from 'node:cluster';
import type { Logger } from 'pino';
import type { Configuration } from '../../config/configuration.ts';
import { urlOf } from '../../config/url.ts';
import { listen } from '../processes/listen.ts';
import { throttledReport } from '../processes/throttled-report.ts';

/**
 * Serves the metrics of all processes in the supervisor. Returns the URL. Without METRICS_PORT, loads no metrics modules
 * and returns null. The port stays open until the process exits, so that a drain can be observed.
 */
export async function serveMetrics(
  { METRICS_PORT, METRICS_HOST, METRICS_TOKEN }: Configuration,
  log: Logger,
  processes: () => ReadonlyMap<string, Worker>,
): Promise<string | null> {
  if (METRICS_PORT === undefined) return null;
  const [{ createMetricsServer }, { readProcesses }] = await Promise.all([
    import('../../metrics/server.ts'),
    import('../../metrics/process-metrics.ts'),
  ]);
  const read = () => readProcesses(processes());
  const server = createMetricsServer({ read, token: METRICS_TOKEN ?? null, report: throttledReport(log) });
  const names = { hostVariable: 'METRICS_HOST', portVariable: 'METRICS_PORT' };
  return urlOf(METRICS_HOST, await listen(server, { host: METRICS_HOST, port: METRICS_PORT, ...names }));
}
