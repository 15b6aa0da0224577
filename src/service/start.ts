/** Starts the service: reads the configuration, then supervises the other processes. */
import { inheritConfiguration, readConfiguration, similarVariables } from '../config/configuration.ts';
import { serveMetrics } from './compose/observability.ts';
import { createLog, logWarnings } from './log.ts';
import { exitWithProblem, ignorePipeErrors } from './processes/plane-process.ts';
import { Supervisor } from './processes/supervisor.ts';
import { throttledReport } from './processes/throttled-report.ts';

ignorePipeErrors();
try {
  // Only the user of the service can read the files that it writes, including the database.
  process.umask(0o077);
  const configuration = readConfiguration(process.env);
  inheritConfiguration(process.env);
  const log = createLog(configuration.LOG_LEVEL);
  logWarnings(log);
  for (const problem of similarVariables(process.env)) log.warn(problem);
  const supervisor = new Supervisor(configuration, log);
  const metricsUrl = await serveMetrics(configuration, throttledReport(log), async () => {
    const { readProcesses } = await import('../metrics/process-metrics.ts');
    return () => readProcesses(supervisor.processes);
  });
  supervisor.start(metricsUrl);
} catch (error) {
  exitWithProblem(error);
}
