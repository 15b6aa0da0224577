/**
 * An index of the cached entries of imported keys and of earlier secrets. A change of any of their dependencies
 * invalidates an entry: the ids of the matching keys, and every digest under which another key could match. Separate
 * from the cache, so that other keys use no memory for it.
 */
export class DependentEntries {
  readonly #presentedByDependency = new Map<string, readonly string[]>();
  readonly #dependenciesByPresented = new Map<string, readonly string[]>();

  add(presented: string, dependencies: readonly string[]): void {
    this.remove(presented);
    this.#dependenciesByPresented.set(presented, dependencies);
    for (const dependency of dependencies) {
      this.#presentedByDependency.set(dependency, [...this.find(dependency), presented]);
    }
  }

  /** Returns the entries with this dependency: several for the earlier secrets of one key. */
  find(dependency: string): readonly string[] {
    return this.#presentedByDependency.get(dependency) ?? none;
  }

  /** Undefined if there is no entry. */
  dependenciesOf(presented: string): readonly string[] | undefined {
    return this.#dependenciesByPresented.get(presented);
  }

  /** Returns whether there was an entry. */
  remove(presented: string): boolean {
    const dependencies = this.#dependenciesByPresented.get(presented);
    if (dependencies === undefined) return false;
    for (const dependency of dependencies) {
      const others = this.find(dependency).filter((other) => other !== presented);
      if (others.length === 0) this.#presentedByDependency.delete(dependency);
      else this.#presentedByDependency.set(dependency, others);
    }
    return this.#dependenciesByPresented.delete(presented);
  }

  clear(): void {
    this.#presentedByDependency.clear();
    this.#dependenciesByPresented.clear();
  }
}

const none: readonly string[] = [];
