/** Traces and metrics. Loads the modules of each feature only if the configuration enables the feature. */
import type { Configuration } from '../../config/configuration.ts';
import { urlOf } from '../../config/url.ts';
import type { Readings } from '../../metrics/readings.ts';
import type { Traces } from '../../traces/spans.ts';
import { listen } from '../processes/listen.ts';
import type { Report } from '../processes/throttled-report.ts';

export async function tracesOf(
  { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, VERIFY_TRACE_RATIO: verificationRatio }: Configuration,
  report: Report,
): Promise<Traces | null> {
  if (endpoint === undefined) return null;
  const { openTraces } = await import('../../traces/open-telemetry.ts');
  return openTraces({ endpoint, verificationRatio, report });
}

/**
 * Serves the metrics port, and returns its URL; null without METRICS_PORT. The port stays open until the process exits,
 * so that a drain can be observed. `load` loads the modules, and returns the function that reads the metrics.
 */
export async function serveMetrics(
  configuration: Configuration,
  report: Report,
  load: () => Promise<() => Promise<string>>,
): Promise<string | null> {
  if (configuration.METRICS_PORT === undefined) return null;
  const [{ createMetricsServer }, read] = await Promise.all([import('../../metrics/server.ts'), load()]);
  const server = createMetricsServer({ read, token: configuration.METRICS_TOKEN ?? null, report });
  return urlOf(configuration.METRICS_HOST, await listen(server, configuration, 'METRICS_'));
}

export async function answerMetrics({ METRICS_PORT }: Configuration, readings: Readings): Promise<void> {
  if (METRICS_PORT === undefined) return;
  const [{ metricsOf }, { answerSupervisor }] = await Promise.all([
    import('../../metrics/exposition.ts'),
    import('../../metrics/process-metrics.ts'),
  ]);
  answerSupervisor(metricsOf(readings));
}
