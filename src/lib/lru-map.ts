/** The maximum number of used entries that an eviction passes, so that no eviction takes long. */
const maxPassed = 16;

interface Entry<Value> {
  value: Value;
  /** Whether the entry was used after it was added, and after the last eviction that passed it. */
  isUsed: boolean;
}

/**
 * A map of limited size that evicts entries which were not used recently, by the CLOCK algorithm. A use only marks the
 * entry, which costs less than a list ordered by use. An eviction removes the oldest entry without a mark. The marked
 * entries before it lose their mark and move to the end.
 */
export class LruMap<Value> {
  readonly #max: number;
  readonly #onEvict: (name: string, value: Value) => void;
  readonly #entries = new Map<string, Entry<Value>>();
  /**
   * Where the last eviction stopped. A new iterator would pass all deleted entries again. This iterator is dropped after
   * some deletions, because V8 keeps tables that the `Map` replaced, and their values, until the iterator advances.
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

  /** Returns a value without marking the entry as used. */
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

  /** No entry is before the iterator, because new entries go to the end and passed entries are deleted. */
  #nextEntry(): [string, Entry<Value>] | undefined {
    this.#next ??= this.#entries.entries();
    const next = this.#next.next();
    if (next.done !== true) return next.value;
    this.#restart();
    return this.#entries.size === 0 ? undefined : this.#nextEntry();
  }
}
