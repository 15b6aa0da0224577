export interface RecentMapOptions<Value> {
  /** The maximum number of entries, at least 2. */
  readonly max: number;
  /** The maximum of the sizes of all entries together, in any unit. */
  readonly maxSize?: number;
  readonly sizeOf?: (value: Value) => number;
  readonly onEvict?: (name: string, value: Value) => void;
}

/**
 * A map of limited size. It keeps the entries that were used last, in generations: when the recent one has half the
 * maximum, it becomes the older one, and the one that was older is evicted, twice as fast as the recent one grows. So at
 * least the last used half is kept, and adding an entry never evicts many at once. Used where lru-cache is not: the
 * package @latchkey/client has no dependencies.
 */
export class RecentMap<Value> {
  readonly #half: number;
  readonly #halfSize: number;
  readonly #sizeOf: (value: Value) => number;
  readonly #onEvict: (name: string, value: Value) => void;
  #recent = new Map<string, Value>();
  #older = new Map<string, Value>();
  #leaving = new Map<string, Value>();
  /** Continues behind what was evicted: a new iterator would pass all deleted entries again. */
  #leavingEntries = this.#leaving.entries();
  #recentSize = 0;
  #totalSize = 0;

  constructor({ max, maxSize = Infinity, sizeOf = () => 0, onEvict = () => undefined }: RecentMapOptions<Value>) {
    this.#half = Math.max(1, Math.floor(max / 2));
    this.#halfSize = maxSize / 2;
    this.#sizeOf = sizeOf;
    this.#onEvict = onEvict;
  }

  get size(): number {
    return this.#recent.size + this.#older.size + this.#leaving.size;
  }

  /** The sizes of all entries together. */
  get totalSize(): number {
    return this.#totalSize;
  }

  get(name: string): Value | undefined {
    const recent = this.#recent.get(name);
    if (recent !== undefined) return recent;
    const earlier = this.peek(name);
    if (earlier !== undefined) this.set(name, earlier);
    return earlier;
  }

  /** Does not count as a use of the entry. */
  peek(name: string): Value | undefined {
    return this.#recent.get(name) ?? this.#older.get(name) ?? this.#leaving.get(name);
  }

  set(name: string, value: Value): void {
    this.delete(name);
    if (this.#recent.size >= this.#half || this.#recentSize >= this.#halfSize) this.#startGeneration();
    const size = this.#sizeOf(value);
    this.#recent.set(name, value);
    this.#recentSize += size;
    this.#totalSize += size;
    this.#evict(2, 2 * size);
  }

  delete(name: string): void {
    const value = this.peek(name);
    if (value === undefined) return;
    const size = this.#sizeOf(value);
    this.#totalSize -= size;
    if (this.#recent.delete(name)) this.#recentSize -= size;
    else if (!this.#older.delete(name)) this.#leaving.delete(name);
  }

  clear(): void {
    this.#recent.clear();
    this.#older.clear();
    this.#leaving.clear();
    this.#recentSize = 0;
    this.#totalSize = 0;
  }

  #startGeneration(): void {
    this.#evict(this.#leaving.size, 0);
    this.#leaving = this.#older;
    this.#leavingEntries = this.#leaving.entries();
    this.#older = this.#recent;
    this.#recent = new Map();
    this.#recentSize = 0;
  }

  /** Evicts at least this many entries, and of at least this size. */
  #evict(count: number, size: number): void {
    let [entriesLeft, sizeLeft] = [count, size];
    while (this.#leaving.size > 0 && (entriesLeft > 0 || sizeLeft > 0)) {
      const next = this.#leavingEntries.next();
      if (next.done === true) return;
      const [name, value] = next.value;
      const evicted = this.#sizeOf(value);
      this.#leaving.delete(name);
      this.#totalSize -= evicted;
      entriesLeft -= 1;
      sizeLeft -= evicted;
      this.#onEvict(name, value);
    }
  }
}
