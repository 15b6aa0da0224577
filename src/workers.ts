/**
 * Several processes that share both ports and the store. They keep no state that matters, and need not know of one
 * another: what one of them changes, the others see before they decide anything.
 */
import cluster, { type Worker } from 'node:cluster';
import type { Configuration } from './config.ts';
import { createLog } from './http/request-log.ts';
import { serveMetricsOfWorkers } from './serve-metrics.ts';

/** A worker that ends this soon would only end again. */
const soonMs = 2000;

export async function superviseWorkers(configuration: Configuration): Promise<void> {
  const { WORKERS, LOG_LEVEL } = configuration;
  const log = createLog(LOG_LEVEL);
  /** A replacement takes the place of the one that ended. */
  const places = new Map<Worker, number>();
  let stopping = false;

  function start(place: number): void {
    const startedAt = performance.now();
    const worker = cluster.fork();
    places.set(worker, place);
    worker.once('exit', (code, signal) => {
      places.delete(worker);
      if (!stopping) log.error({ code, signal }, 'a worker ended');
      if (!stopping && performance.now() - startedAt > soonMs) {
        start(place);
        return;
      }
      if (!stopping) stop('SIGTERM');
      if (Object.keys(cluster.workers ?? {}).length === 0) process.exit(code ?? 1);
    });
  }

  /** The first time they drain, the second time they end at once. */
  function stop(signal: NodeJS.Signals): void {
    const last = stopping ? 'SIGKILL' : signal;
    if (stopping) log.warn('ended at once, by a second signal');
    stopping = true;
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill(last);
  }

  await serveMetricsOfWorkers(configuration, log, places);
  for (let place = 1; place <= WORKERS; place += 1) start(place);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal));
}
