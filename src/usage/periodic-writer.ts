/** Writes what was counted in memory, in chunks and after pauses. What can't be written is kept for the next time. */

export interface PeriodicWrites<Item> {
  /** The minimum pause between two writes. */
  readonly intervalMs: number;
  /** Removes all items from the memory and returns them. */
  readonly take: () => readonly Item[];
  readonly write: (chunk: readonly Item[]) => Promise<void>;
  /** Takes back the items that were not written. */
  readonly keep: (unwritten: readonly Item[]) => void;
  readonly report: (error: unknown) => void;
}

/** Writing takes at most a tenth of the time: the pause after a write is at least this many times its duration. */
const minPauseFactor = 9;
/** How many items are written per transaction, so that a write never delays a verification for long. */
const chunkSize = 500;

export class PeriodicWriter<Item> {
  readonly #writes: PeriodicWrites<Item>;
  #timer: NodeJS.Timeout | null = null;
  #flushing: Promise<void> = Promise.resolve();
  #pauseMs: number;
  #failures = 0;

  constructor(writes: PeriodicWrites<Item>) {
    this.#writes = writes;
    this.#pauseMs = writes.intervalMs;
  }

  /** The number of failed writes. */
  get failures(): number {
    return this.#failures;
  }

  /** Writes all items after the pause. The timer does not keep the process alive: `close` writes what remains. */
  schedule(): void {
    this.#timer ??= setTimeout(() => this.flush().catch(this.#writes.report), this.#pauseMs).unref();
  }

  /** Writes all items now. */
  async flush(): Promise<void> {
    const write = () => this.#write();
    this.#flushing = this.#flushing.then(write, write);
    await this.#flushing;
  }

  /** Writes the remaining items. */
  async close(): Promise<void> {
    this.#stopTimer();
    await this.flush();
    this.#stopTimer();
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  async #write(): Promise<void> {
    this.#stopTimer();
    const { intervalMs, take, write, keep, report } = this.#writes;
    const items = take();
    const startedAt = performance.now();
    for (let i = 0; i < items.length; i += chunkSize) {
      try {
        await write(items.slice(i, i + chunkSize));
      } catch (error) {
        this.#failures += 1;
        keep(items.slice(i));
        this.schedule();
        report(error);
        return;
      }
      // Let pending verifications run between two chunks.
      await new Promise(setImmediate);
    }
    this.#pauseMs = Math.max(intervalMs, minPauseFactor * (performance.now() - startedAt));
  }
}
