import type { Configuration } from '../../config/configuration.ts';
import { urlOf } from '../../config/url.ts';
import { listen } from '../processes/listen.ts';
import type { Report } from '../processes/throttled-report.ts';

/**
 * Serves the metrics port, and returns its URL. Without METRICS_PORT, loads no metrics modules and returns null. The port
 * stays open until the process exits, so that a drain can be observed.
 */
export async function serveMetrics(
  { METRICS_PORT: port, METRICS_HOST: host, METRICS_TOKEN: token }: Configuration,
  report: Report,
  /** Loads the metrics modules, and returns the function that reads the metrics. */
  load: () => Promise<() => Promise<string>>,
): Promise<string | null> {
  if (port === undefined) return null;
  const [{ createMetricsServer }, read] = await Promise.all([import('../../metrics/server.ts'), load()]);
  const server = createMetricsServer({ read, token: token ?? null, report });
  const names = { hostVariable: 'METRICS_HOST', portVariable: 'METRICS_PORT' };
  return urlOf(host, await listen(server, { host, port, ...names }));
}
