import { type Configuration, ConfigurationError } from '../../config/configuration.ts';
import type { Traces } from '../../traces/spans.ts';
import type { Report } from '../processes/throttled-report.ts';

/** Returns null without a collector, and then loads no OpenTelemetry modules. */
export async function tracesOf(
  { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, VERIFY_TRACE_RATIO: verificationRatio }: Configuration,
  report: Report,
): Promise<Traces | null> {
  if (endpoint === undefined) return null;
  const { openTraces } = await import('../../traces/open-telemetry.ts').catch((error) => {
    if (error?.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const expected = 'expected only where the optional packages @opentelemetry/… are installed';
    throw new ConfigurationError([`OTEL_EXPORTER_OTLP_ENDPOINT: ${expected}`]);
  });
  return openTraces({ endpoint, verificationRatio, report });
}
