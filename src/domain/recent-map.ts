/**
 * A map of limited size. It keeps the entries that were used last, in two generations: when the recent one is full, the
 * older one is dropped. So at least the last `max / 2` used entries are kept. Used where lru-cache is not: the package
 * @latchkey/client has no dependencies.
 */
export class RecentMap<Value> {
  readonly #maxPerGeneration: number;
  readonly #onEvict: ((name: string, value: Value) => void) | null;
  #recent = new Map<string, Value>();
  #older = new Map<string, Value>();

  constructor(max: number, onEvict: ((name: string, value: Value) => void) | null = null) {
    this.#maxPerGeneration = Math.max(1, Math.floor(max / 2));
    this.#onEvict = onEvict;
  }

  get size(): number {
    return this.#recent.size + this.#older.size;
  }

  get(name: string): Value | undefined {
    const recent = this.#recent.get(name);
    if (recent !== undefined) return recent;
    const older = this.#older.get(name);
    if (older === undefined) return undefined;
    this.#older.delete(name);
    this.#add(name, older);
    return older;
  }

  /** Is no use of the entry. */
  peek(name: string): Value | undefined {
    return this.#recent.get(name) ?? this.#older.get(name);
  }

  set(name: string, value: Value): void {
    this.#older.delete(name);
    if (this.#recent.has(name)) this.#recent.set(name, value);
    else this.#add(name, value);
  }

  delete(name: string): void {
    this.#recent.delete(name);
    this.#older.delete(name);
  }

  clear(): void {
    this.#recent.clear();
    this.#older.clear();
  }

  #add(name: string, value: Value): void {
    if (this.#recent.size >= this.#maxPerGeneration) {
      const evicted = this.#older;
      this.#older = this.#recent;
      this.#recent = new Map();
      if (this.#onEvict !== null) for (const [old, of] of evicted) this.#onEvict(old, of);
    }
    this.#recent.set(name, value);
  }
}
