import { RecentMap } from '../../domain/recent-map.ts';
import type { LocalKey } from './local-key.ts';

/**
 * The keys that were used last, by the SHA-256 of what was presented. It contains keys and never verdicts. Unknown keys
 * are not cached, so that invented keys can't evict real ones.
 */
export class LocalCache {
  readonly #keys: RecentMap<LocalKey>;
  /** The cached secrets that depend on each id or name: in general one. */
  readonly #presentedByDependency = new Map<string, readonly string[]>();
  readonly #imported = new Set<string>();

  constructor(maxKeys: number, maxBytes: number) {
    this.#keys = new RecentMap({
      max: maxKeys,
      maxSize: maxBytes,
      sizeOf: ({ bytes }) => bytes,
      onEvict: (presented, key) => this.#forget(presented, key),
    });
  }

  get size(): number {
    return this.#keys.size;
  }

  /** The estimated memory of all keys. */
  get bytes(): number {
    return this.#keys.totalSize;
  }

  get(presented: string): LocalKey | undefined {
    return this.#keys.get(presented);
  }

  /** A key whose dependencies are not known is not kept. */
  add(presented: string, key: LocalKey): void {
    this.#drop(presented);
    if (key.dependencies === null) return;
    for (const dependency of key.dependencies) {
      this.#presentedByDependency.set(dependency, [...this.#dependentOn(dependency), presented]);
    }
    if (key.imported) this.#imported.add(presented);
    this.#keys.set(presented, key);
  }

  /** Removes all secrets that depend on one of these ids and names. */
  dropDependent(changed: readonly string[]): void {
    for (const dependency of changed) for (const presented of this.#dependentOn(dependency)) this.#drop(presented);
  }

  dropImported(): void {
    for (const presented of this.#imported) this.#drop(presented);
  }

  clear(): void {
    this.#keys.clear();
    this.#presentedByDependency.clear();
    this.#imported.clear();
  }

  #drop(presented: string): void {
    const key = this.#keys.peek(presented);
    if (key === undefined) return;
    this.#keys.delete(presented);
    this.#forget(presented, key);
  }

  #forget(presented: string, { dependencies }: LocalKey): void {
    this.#imported.delete(presented);
    for (const dependency of dependencies ?? []) {
      const others = this.#dependentOn(dependency).filter((other) => other !== presented);
      if (others.length === 0) this.#presentedByDependency.delete(dependency);
      else this.#presentedByDependency.set(dependency, others);
    }
  }

  #dependentOn(dependency: string): readonly string[] {
    return this.#presentedByDependency.get(dependency) ?? none;
  }
}

const none: readonly string[] = [];
