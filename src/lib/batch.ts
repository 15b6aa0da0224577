export interface BatchOptions<Item, Result> {
  /** Calls `write` when it is time to write the waiting items. */
  readonly schedule: (write: () => void) => void;
  /** Returns the results in the order of the items. */
  readonly write: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** The maximum size of a batch. A larger item is written alone. Default: no limit. */
  readonly maxSize?: number;
  /** Default: 1. */
  readonly sizeOf?: (item: Item) => number;
  /** Whether to write the items one by one after this error, so that only bad items fail. Default: all items fail. */
  readonly isWrittenSingly?: (error: unknown) => boolean;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Writes items of several callers together, because most of the cost is per write. Each caller waits for its result. */
export class Batch<Item, Result> {
  readonly #options: BatchOptions<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  #size = 0;

  constructor(options: BatchOptions<Item, Result>) {
    this.#options = options;
  }

  /** Resolves to the item's result. Rejects if the item could not be written. */
  add(item: Item): Promise<Result> {
    const { sizeOf, maxSize = Infinity } = this.#options;
    const size = sizeOf?.(item) ?? 1;
    if (this.#waiting.length > 0 && this.#size + size > maxSize) this.#flush();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#size += size;
      // Last, because `schedule` may call back at once.
      if (this.#waiting.length === 1) this.#schedule();
    });
  }

  #schedule(): void {
    const scheduled = this.#waiting;
    this.#options.schedule(() => {
      if (this.#waiting === scheduled) this.#flush();
    });
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#size = 0;
    void this.#write(waiting);
  }

  /** Never rejects. */
  async #write(waiting: readonly Waiting<Item, Result>[]): Promise<void> {
    const { write, isWrittenSingly } = this.#options;
    let results: readonly Result[];
    try {
      results = await write(waiting.map(({ item }) => item));
      if (results.length !== waiting.length) throw new RangeError('there must be one result per item');
    } catch (error) {
      if (waiting.length > 1 && isWrittenSingly?.(error) === true) for (const one of waiting) await this.#write([one]);
      else for (const { reject } of waiting) reject(error);
      return;
    }
    for (const [i, result] of results.entries()) waiting[i]?.resolve(result);
  }
}
