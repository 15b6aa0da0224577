/**
 * Collects the metrics of all processes in the supervisor, with the name of each process in the label `process`. They
 * are not added up, as prom-client's AggregatorRegistry would do: a sum decreases when a process is replaced, and can't
 * be computed while one is stuck.
 */
import type { Worker } from 'node:cluster';
import { type MetricValues, type ProcessMetrics, textOf } from './exposition.ts';

/** Null if they could not be read: the process must not end because of that. */
type Metrics = readonly MetricValues[] | null;

const request = { latchkeyMetrics: 'request' } as const;
interface Answer {
  readonly latchkeyMetrics: 'answer';
  readonly metrics: Metrics;
}

/** A process that has not answered by then is stuck or has ended. */
const timeoutMs = 1000;

/** Called in the process of a plane, which from now on answers the supervisor. */
export function answerSupervisor({ read }: ProcessMetrics): void {
  process.on('message', (message) => {
    if (!isKind(message, 'request')) return;
    const send = (metrics: Metrics) => {
      const answer: Answer = { latchkeyMetrics: 'answer', metrics };
      // The supervisor may have ended.
      if (process.connected) process.send?.(answer);
    };
    read().then(send, () => send(null));
  });
}

/** Called in the supervisor. Returns the metrics of all processes, by name, in the text format of Prometheus. */
export async function readProcesses(processes: ReadonlyMap<string, Worker>): Promise<string> {
  const answers = await Promise.all(
    Array.from(processes, async ([name, worker]) => withProcess(name, await requestMetrics(worker))),
  );
  return await textOf(answers);
}

/** Adds the label `process` to all values, and whether the process answered. */
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
      if (isKind(message, 'answer')) settle((message as Answer).metrics);
    };
    const fail = () => settle(null);
    const timer = setTimeout(fail, timeoutMs);
    worker.on('message', receive).on('disconnect', fail);
    worker.send(request, undefined, (error) => {
      if (error !== null) fail();
    });
  });
}

function isKind(message: unknown, kind: 'request' | 'answer'): boolean {
  return (
    typeof message === 'object' && message !== null && 'latchkeyMetrics' in message && message.latchkeyMetrics === kind
  );
}
