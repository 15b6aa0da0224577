/**
 * With WORKERS, each process has numbers of its own, and the primary answers for all of them, each under its place in
 * the label `worker`. Not their sum, which prom-client's AggregatorRegistry would make: it goes back when one of them is
 * replaced, and while one is stuck it says nothing of the others.
 */
import type { Worker } from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';

type Metrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

interface Question {
  readonly latchkeyMetrics: 'question';
}

interface Answer {
  readonly latchkeyMetrics: 'answer';
  /** Null where they could not be read: that is no reason for a worker to end. */
  readonly metrics: Metrics | null;
}

const question: Question = { latchkeyMetrics: 'question' };
/** Who has not answered by then is stuck, or gone. */
const patienceMs = 1000;

/** In a worker: from now on it answers the primary. */
export function answerPrimary(registry: Registry): void {
  process.on('message', (message) => {
    if (!isOurs(message, 'question')) return;
    const tell = (metrics: Metrics | null) => {
      const answer: Answer = { latchkeyMetrics: 'answer', metrics };
      // A primary that is going away hears no more.
      if (process.connected) process.send?.(answer);
    };
    registry.getMetricsAsJSON().then(tell, () => tell(null));
  });
}

/** In the primary: what all workers say, by the place that each has. */
export async function askWorkers(places: ReadonlyMap<Worker, number>): Promise<string> {
  const answers = await Promise.all(
    Array.from(places, async ([worker, place]) => {
      const metrics = await ask(worker);
      return { worker: String(place), metrics };
    }),
  );
  const labelled = answers.map(({ worker, metrics }) => [...withLabel(metrics ?? [], worker), up(worker, metrics)]);
  return await AggregatorRegistry.aggregate(labelled).metrics();
}

function up(worker: string, metrics: Metrics | null) {
  return {
    name: 'latchkey_worker_up',
    help: 'Whether the worker answered this scrape.',
    type: 'gauge',
    aggregator: 'first',
    values: [{ labels: { worker }, value: metrics === null ? 0 : 1 }],
  };
}

function withLabel(metrics: Metrics, worker: string) {
  return metrics.map((metric) => ({
    ...metric,
    // Nothing is put together: the label sets are distinct.
    aggregator: 'sum',
    values: metric.values.map((value) => ({ ...value, labels: { ...value.labels, worker } })),
  }));
}

async function ask(worker: Worker): Promise<Metrics | null> {
  if (!worker.isConnected()) return null;
  return await new Promise((resolve) => {
    const settle = (metrics: Metrics | null) => {
      clearTimeout(timer);
      worker.off('message', hear).off('disconnect', gone);
      resolve(metrics);
    };
    const hear = (message: unknown) => {
      if (isOurs(message, 'answer')) settle((message as Answer).metrics);
    };
    const gone = () => settle(null);
    const timer = setTimeout(gone, patienceMs);
    worker.on('message', hear).on('disconnect', gone);
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
