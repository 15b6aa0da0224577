/**
 * An index of the cached entries of imported keys. A change of any of their dependencies invalidates an entry: the ids
 * of the matching keys, and every digest under which another key could match. Separate from the cache, so that other
 * keys use no memory for it.
 */
export class ImportedEntries {
  readonly #presentedByDependency = new Map<string, string>();
  readonly #dependenciesByPresented = new Map<string, readonly string[]>();

  add(presented: string, dependencies: readonly string[]): void {
    this.remove(presented);
    this.#dependenciesByPresented.set(presented, dependencies);
    for (const dependency of dependencies) this.#presentedByDependency.set(dependency, presented);
  }

  find(dependency: string): string | undefined {
    return this.#presentedByDependency.get(dependency);
  }

  /** Returns whether there was an entry. */
  remove(presented: string): boolean {
    const dependencies = this.#dependenciesByPresented.get(presented);
    if (dependencies === undefined) return false;
    for (const dependency of dependencies) this.#presentedByDependency.delete(dependency);
    return this.#dependenciesByPresented.delete(presented);
  }

  clear(): void {
    this.#presentedByDependency.clear();
    this.#dependenciesByPresented.clear();
  }
}
