/**
 * An index of cached entries by what they depend on. A change of any of their dependencies invalidates an entry: the ids
 * of the matching keys, and every digest under which another key could match.
 *
 * With sets, because one key can have thousands of earlier secrets, which all depend on its id.
 */
export class DependentEntries {
  readonly #entriesByDependency = new Map<string, Set<string>>();
  readonly #dependenciesByEntry = new Map<string, readonly string[]>();

  add(entry: string, dependencies: readonly string[]): void {
    this.remove(entry);
    this.#dependenciesByEntry.set(entry, dependencies);
    for (const dependency of dependencies) {
      const entries = this.#entriesByDependency.get(dependency);
      if (entries === undefined) this.#entriesByDependency.set(dependency, new Set([entry]));
      else entries.add(entry);
    }
  }

  /** Returns the entries with this dependency: several for the earlier secrets of one key. */
  find(dependency: string): readonly string[] {
    const entries = this.#entriesByDependency.get(dependency);
    return entries === undefined ? none : [...entries];
  }

  /** Undefined if there is no entry. */
  dependenciesOf(entry: string): readonly string[] | undefined {
    return this.#dependenciesByEntry.get(entry);
  }

  /** Returns whether there was an entry. */
  remove(entry: string): boolean {
    const dependencies = this.#dependenciesByEntry.get(entry);
    if (dependencies === undefined) return false;
    for (const dependency of dependencies) {
      const entries = this.#entriesByDependency.get(dependency);
      entries?.delete(entry);
      if (entries?.size === 0) this.#entriesByDependency.delete(dependency);
    }
    return this.#dependenciesByEntry.delete(entry);
  }

  clear(): void {
    this.#entriesByDependency.clear();
    this.#dependenciesByEntry.clear();
  }
}

const none: readonly string[] = [];
