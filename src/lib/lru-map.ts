/** How many recently used entries an eviction passes at most, so that none takes long. */
const maxPassed = 16;

interface Entry<Value> {
  value: Value;
  /** Whether it was used since it was added, or since an eviction passed it. */
  isUsed: boolean;
}

/**
 * A map of limited size that evicts entries which were not used recently, by the CLOCK algorithm: a use only marks an
 * entry, which costs less than a list ordered by use. An eviction goes through the entries, in the order in which they
 * were added, to one without a mark. The marked ones on its way lose their mark and go to the end.
 */
export class LruMap<Value> {
  readonly #max: number;
  readonly #onEvict: (name: string, value: Value) => void;
  readonly #entries = new Map<string, Entry<Value>>();
  /**
   * Where the last eviction stopped: a new iterator would pass all deleted entries again. It is dropped after some
   * deletions, because V8 keeps every table that a `Map` has replaced since then, with its values, for an unused iterator.
   */
  #next: Iterator<[string, Entry<Value>]> | null = null;
  #deletedSinceEviction = 0;

  /** @param max the maximum number of entries, at least 1 */
  constructor(max: number, onEvict: (name: string, value: Value) => void = () => undefined) {
    this.#max = max;
    this.#onEvict = onEvict;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(name: string): Value | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    entry.isUsed = true;
    return entry.value;
  }

  /** Does not count as a use of the entry. */
  peek(name: string): Value | undefined {
    return this.#entries.get(name)?.value;
  }

  set(name: string, value: Value): void {
    const entry = this.#entries.get(name);
    if (entry !== undefined) {
      entry.value = value;
      entry.isUsed = true;
      return;
    }
    if (this.#entries.size >= this.#max) this.evict();
    this.#entries.set(name, { value, isUsed: false });
  }

  delete(name: string): void {
    if (!this.#entries.delete(name)) return;
    this.#deletedSinceEviction += 1;
    if (this.#deletedSinceEviction * 8 >= this.#max) this.#restart();
  }

  evict(): void {
    this.#deletedSinceEviction = 0;
    for (let passed = 0; ; passed += 1) {
      const next = this.#nextEntry();
      if (next === undefined) return;
      const [name, entry] = next;
      this.#entries.delete(name);
      if (!entry.isUsed || passed === maxPassed) {
        this.#onEvict(name, entry.value);
        return;
      }
      entry.isUsed = false;
      this.#entries.set(name, entry);
    }
  }

  clear(): void {
    this.#entries.clear();
    this.#restart();
  }

  #restart(): void {
    this.#next = null;
    this.#deletedSinceEviction = 0;
  }

  /** Entries are only added at the end, and passed ones are deleted, so none is before the iterator. */
  #nextEntry(): [string, Entry<Value>] | undefined {
    this.#next ??= this.#entries.entries();
    const next = this.#next.next();
    if (next.done !== true) return next.value;
    this.#restart();
    return this.#entries.size === 0 ? undefined : this.#nextEntry();
  }
}
