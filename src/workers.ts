/**
 * Several processes that share both ports and the store. They keep no state that matters, and need not know of one
 * another: what one of them changes, the others see before they decide anything.
 */
import cluster from 'node:cluster';
import type { Configuration } from './config.ts';
import { createLog } from './http/request-log.ts';

/** A worker that ends this soon would only end again. */
const soonMs = 2000;

export function superviseWorkers({ WORKERS, LOG_LEVEL }: Configuration): void {
  const log = createLog(LOG_LEVEL);
  let stopping = false;

  function start(): void {
    const startedAt = performance.now();
    cluster.fork().once('exit', (code, signal) => {
      if (!stopping) log.error({ code, signal }, 'a worker ended');
      if (!stopping && performance.now() - startedAt > soonMs) {
        start();
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

  for (let i = 0; i < WORKERS; i += 1) start();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal));
}
