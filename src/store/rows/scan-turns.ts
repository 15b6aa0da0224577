import { FairQueue } from '../../admission/fair-queue.ts';
import type { BulkDialect } from '../changes/bulk-rows.ts';

/** The maximum of concurrent reads. PostgreSQL has more connections than this, so that other reads continue. */
const concurrency: Readonly<Record<BulkDialect, number>> = { sqlite: 1, postgresql: 3 };

/** Runs the reads of searches fairly for all teams. Between reads, the event loop runs other work. */
export class ScanTurns {
  readonly #waiting = new FairQueue<() => void>();
  #free: number;

  constructor(provider: BulkDialect) {
    this.#free = concurrency[provider];
  }

  async take<T>(teamId: string, read: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(teamId, resolve));
    try {
      return await read();
    } finally {
      setImmediate(() => this.#next());
    }
  }

  #next(): void {
    const start = this.#waiting.shift();
    if (start === undefined) this.#free += 1;
    else start();
  }
}
