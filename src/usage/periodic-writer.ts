/** Writes counts from memory, in chunks and with pauses. Counts that can't be written are kept for the next time. */

/** Writing takes at most a tenth of the time: the pause after a write is at least this many times its duration. */
const minPauseFactor = 9;
/** The number of items per transaction, small so that a write never delays a verification for long. */
const chunkSize = 500;

export abstract class PeriodicWriter<Item> {
  readonly #intervalMs: number;
  readonly #report: (error: unknown) => void;
  #timer: NodeJS.Timeout | null = null;
  #flushing: Promise<void> = Promise.resolve();
  #isWriting = false;
  #pauseMs: number;
  #failures = 0;

  constructor(intervalMs: number, report: (error: unknown) => void) {
    this.#intervalMs = intervalMs;
    this.#pauseMs = intervalMs;
    this.#report = report;
  }

  /** The number of items in memory. */
  abstract get waiting(): number;
  /** Removes all items from the memory and returns them. */
  protected abstract take(): readonly Item[];
  protected abstract write(chunk: readonly Item[]): Promise<void>;
  /** Takes back an item that was not written. More items of the same key may have been added in the meantime. */
  protected abstract restore(unwritten: Item): void;

  get failures(): number {
    return this.#failures;
  }

  /** Writes all items after the pause. The timer does not keep the process alive: `close` writes the remaining items. */
  protected schedule(): void {
    // A write under way starts the timer when it ends, because the pause depends on it.
    if (this.#isWriting) return;
    this.#timer ??= setTimeout(() => this.flush().catch(this.#report), this.#pauseMs).unref();
  }

  /** Writes all items now. Items that can't be written are kept for the next time. */
  async flush(): Promise<void> {
    const write = () => this.#writeAll();
    this.#flushing = this.#flushing.then(write, write);
    await this.#flushing;
  }

  async close(): Promise<void> {
    this.#stopTimer();
    await this.flush();
    this.#stopTimer();
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  async #writeAll(): Promise<void> {
    this.#stopTimer();
    this.#isWriting = true;
    const startedAt = performance.now();
    try {
      const isWritten = await this.#writeChunks(this.take());
      if (isWritten) this.#pauseMs = Math.max(this.#intervalMs, minPauseFactor * (performance.now() - startedAt));
    } finally {
      this.#isWriting = false;
      if (this.waiting > 0) this.schedule();
    }
  }

  /** Returns whether all items could be written. */
  async #writeChunks(items: readonly Item[]): Promise<boolean> {
    for (let i = 0; i < items.length; i += chunkSize) {
      try {
        await this.write(items.slice(i, i + chunkSize));
      } catch (error) {
        this.#failures += 1;
        for (const item of items.slice(i)) this.restore(item);
        this.#report(error);
        return false;
      }
      // Let pending verifications run between two chunks.
      await new Promise(setImmediate);
    }
    return true;
  }
}
