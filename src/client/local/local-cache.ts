import { DependentEntries } from '../../lib/dependent-entries.ts';
import { RecentMap } from '../../lib/recent-map.ts';
import type { LocalKey } from './local-key.ts';

/**
 * The keys that were used last, by the SHA-256 of what was presented. It contains keys and never verdicts. Unknown keys
 * are not cached, so that invented keys can't evict real ones.
 */
export class LocalCache {
  readonly #keys: RecentMap<LocalKey>;
  /** The cached secrets, by the ids and names that they depend on. */
  readonly #dependent = new DependentEntries();
  readonly #imported = new Set<string>();

  constructor(maxKeys: number, maxBytes: number) {
    this.#keys = new RecentMap({
      max: maxKeys,
      maxSize: maxBytes,
      sizeOf: ({ bytes }) => bytes,
      onEvict: (presented) => this.#forget(presented),
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
    this.#dependent.add(presented, key.dependencies);
    if (key.imported) this.#imported.add(presented);
    this.#keys.set(presented, key);
  }

  /** Removes all secrets that depend on one of these ids and names. */
  dropDependent(changed: readonly string[]): void {
    for (const dependency of changed) for (const presented of this.#dependent.find(dependency)) this.#drop(presented);
  }

  dropImported(): void {
    for (const presented of this.#imported) this.#drop(presented);
  }

  clear(): void {
    this.#keys.clear();
    this.#dependent.clear();
    this.#imported.clear();
  }

  #drop(presented: string): void {
    this.#keys.delete(presented);
    this.#forget(presented);
  }

  #forget(presented: string): void {
    this.#imported.delete(presented);
    this.#dependent.remove(presented);
  }
}
