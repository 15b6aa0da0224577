import { FairQueue } from '../../admission/fair-queue.ts';
import { afterRest } from '../../admission/turns.ts';
import { type Scheduler, systemScheduler } from '../../lib/scheduler.ts';
import type { BulkDialect } from '../changes/bulk-rows.ts';

/** The maximum of concurrent reads. PostgreSQL has more connections than this, so that other reads continue. */
const concurrency: Readonly<Record<BulkDialect, number>> = { sqlite: 1, postgresql: 3 };

/**
 * Between reads, leaves turns of the event loop to other calls: a call of another team needs several turns, and would
 * otherwise wait for a read of up to 2 ms in each of them. A turn without work takes microseconds.
 */
const rest = { turns: 32, ms: 5 };

/** Runs the reads of searches fairly for all teams. Between reads, the event loop runs other work. */
export class ScanTurns {
  readonly #waiting = new FairQueue<() => void>();
  readonly #scheduler: Scheduler;
  #free: number;

  constructor(provider: BulkDialect, scheduler: Scheduler = systemScheduler) {
    this.#scheduler = scheduler;
    this.#free = concurrency[provider];
  }

  async take<T>(teamId: string, read: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(teamId, resolve));
    try {
      return await read();
    } finally {
      afterRest(this.#scheduler, rest, () => this.#next());
    }
  }

  #next(): void {
    const start = this.#waiting.shift();
    if (start === undefined) this.#free += 1;
    else start();
  }
}
