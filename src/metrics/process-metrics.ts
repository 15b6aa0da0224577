/**
 * Collects, in the supervisor, the metrics of all processes, with their names in the label `process`. prom-client's
 * AggregatorRegistry would add them up. A sum drops when a process is replaced, and a stuck process delays it.
 */
import type { Worker } from 'node:cluster';
import { type MetricValues, type ProcessMetrics, textOf } from './exposition.ts';

/** The metrics of a process; null if reading them failed, which must not end the process. */
type Metrics = readonly MetricValues[] | null;

const request = 'latchkey metrics';

/** How long to wait for an answer. A process that takes longer is stuck or has ended. */
const timeoutMs = 1000;

/** Makes the process of a plane answer the supervisor's requests for metrics. */
export function answerSupervisor({ read }: ProcessMetrics): void {
  process.on('message', (message) => {
    if (message !== request) return;
    const send = (latchkeyMetrics: Metrics) => {
      // The supervisor may have ended.
      if (process.connected) process.send?.({ latchkeyMetrics });
    };
    read().then(send, () => send(null));
  });
}

/** Returns the metrics of all processes in the text format of Prometheus. Called in the supervisor. */
export async function readProcesses(processes: ReadonlyMap<string, Worker>): Promise<string> {
  const answers = await Promise.all(
    Array.from(processes, async ([name, worker]) => withProcess(name, await requestMetrics(worker))),
  );
  return await textOf(answers);
}

function withProcess(name: string, metrics: Metrics): MetricValues[] {
  const up: MetricValues = {
    name: 'latchkey_process_up',
    help: 'Whether the process answered this scrape.',
    type: 'gauge',
    aggregator: 'sum',
    values: [{ labels: {}, value: metrics === null ? 0 : 1 }],
  };
  return [...(metrics ?? []), up].map((metric) => ({
    ...metric,
    aggregator: 'sum',
    values: metric.values.map((value) => ({ ...value, labels: { ...value.labels, process: name } })),
  }));
}

async function requestMetrics(worker: Worker): Promise<Metrics> {
  if (!worker.isConnected()) return null;
  return await new Promise((resolve) => {
    const settle = (metrics: Metrics) => {
      clearTimeout(timer);
      worker.off('message', receive).off('disconnect', fail);
      resolve(metrics);
    };
    const receive = (message: unknown) => {
      if (isAnswer(message)) settle(message.latchkeyMetrics);
    };
    const fail = () => settle(null);
    const timer = setTimeout(fail, timeoutMs);
    worker.on('message', receive).on('disconnect', fail);
    worker.send(request, undefined, (error) => {
      if (error !== null) fail();
    });
  });
}

function isAnswer(message: unknown): message is { readonly latchkeyMetrics: Metrics } {
  return typeof message === 'object' && message !== null && 'latchkeyMetrics' in message;
}
