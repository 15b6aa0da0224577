/**
 * Collects the metrics of all processes in the supervisor, with the name of each process in the label `process`. They
 * are not added up, as prom-client's AggregatorRegistry would do: a sum decreases when a process is replaced, and can't
 * be computed while one is stuck.
 */
import type { Worker } from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';

type Metrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

interface Question {
  readonly latchkeyMetrics: 'question';
}

interface Answer {
  readonly latchkeyMetrics: 'answer';
  /** Null if they could not be read. The process must not end because of that. */
  readonly metrics: Metrics | null;
}

const question: Question = { latchkeyMetrics: 'question' };
/** A process that has not answered by then is stuck or has ended. */
const timeoutMs = 1000;

/** Called in the process of a plane, which from now on answers the supervisor. */
export function answerSupervisor(registry: Registry): void {
  process.on('message', (message) => {
    if (!isOurs(message, 'question')) return;
    const send = (metrics: Metrics | null) => {
      const answer: Answer = { latchkeyMetrics: 'answer', metrics };
      // The supervisor may have ended.
      if (process.connected) process.send?.(answer);
    };
    registry.getMetricsAsJSON().then(send, () => send(null));
  });
}

/** Called in the supervisor. Returns the metrics of all processes, by name. */
export async function askProcesses(processes: ReadonlyMap<string, Worker>): Promise<string> {
  const answers = await Promise.all(
    Array.from(processes, async ([name, worker]) => ({ name, metrics: await ask(worker) })),
  );
  const labelled = answers.map(({ name, metrics }) => [...withLabel(metrics ?? [], name), up(name, metrics)]);
  return await AggregatorRegistry.aggregate(labelled).metrics();
}

function up(name: string, metrics: Metrics | null) {
  return {
    name: 'latchkey_process_up',
    help: 'Whether the process answered this scrape.',
    type: 'gauge',
    aggregator: 'first',
    values: [{ labels: { process: name }, value: metrics === null ? 0 : 1 }],
  };
}

function withLabel(metrics: Metrics, name: string) {
  return metrics.map((metric) => ({
    ...metric,
    // Nothing is added up: the label sets are distinct.
    aggregator: 'sum',
    values: metric.values.map((value) => ({ ...value, labels: { ...value.labels, process: name } })),
  }));
}

async function ask(worker: Worker): Promise<Metrics | null> {
  if (!worker.isConnected()) return null;
  return await new Promise((resolve) => {
    const settle = (metrics: Metrics | null) => {
      clearTimeout(timer);
      worker.off('message', receive).off('disconnect', gone);
      resolve(metrics);
    };
    const receive = (message: unknown) => {
      if (isOurs(message, 'answer')) settle((message as Answer).metrics);
    };
    const gone = () => settle(null);
    const timer = setTimeout(gone, timeoutMs);
    worker.on('message', receive).on('disconnect', gone);
    worker.send(question, undefined, (error) => {
      if (error !== null) gone();
    });
  });
}

function isOurs(message: unknown, kind: 'question' | 'answer'): boolean {
  return (
    typeof message === 'object' && message !== null && 'latchkeyMetrics' in message && message.latchkeyMetrics === kind
  );
}
