/**
 * Finds the cached entry of an imported key by everything that concerns it: the ids of the keys that match, and every
 * digest under which another key could match. Kept apart from the cache, so that keys made here take no memory for it.
 */
export class ImportedEntries {
  readonly #presentedByTrace = new Map<string, string>();
  readonly #tracesByPresented = new Map<string, readonly string[]>();

  add(presented: string, traces: readonly string[]): void {
    this.remove(presented);
    this.#tracesByPresented.set(presented, traces);
    for (const trace of traces) this.#presentedByTrace.set(trace, presented);
  }

  find(trace: string): string | undefined {
    return this.#presentedByTrace.get(trace);
  }

  /** Returns whether there was one. */
  remove(presented: string): boolean {
    const traces = this.#tracesByPresented.get(presented);
    if (traces === undefined) return false;
    for (const trace of traces) this.#presentedByTrace.delete(trace);
    return this.#tracesByPresented.delete(presented);
  }

  clear(): void {
    this.#presentedByTrace.clear();
    this.#tracesByPresented.clear();
  }
}
