import { LruMap } from '../lib/lru-map.ts';
import type { CacheChange, Row } from './state-source.ts';

export interface KeyCacheOptions<Match> {
  readonly maxKeys: number;
  readonly maxBytes?: number;
  /** Estimates the memory use of a match. */
  readonly bytesOf: (match: Match) => number;
  /** Returns the id of the key; null if several keys match. */
  readonly idOf: (match: Match) => string | null;
  /** Returns whether both matches are of the same secret. Default: false. */
  readonly isSameSecret?: (cached: Match, changed: Match) => boolean;
  /** Called with each match that is added or replaced. */
  readonly onMatch?: (match: Match) => void;
}

/**
 * A cache of recently used keys, by the SHA-256 of the presented key. It contains no verdicts, and no unknown keys, so
 * that a flood of invented keys can't evict real keys.
 */
export class KeyCache<Match> {
  readonly #options: KeyCacheOptions<Match>;
  readonly #maxBytes: number;
  readonly #matches: LruMap<Match>;
  /** The entries that depend only on the id of their key, by this id. */
  readonly #cacheKeyById = new Map<string, string>();
  /** The dependencies of all other entries. A map of its own, so that most keys use no memory for dependencies. */
  readonly #dependencies = new Map<string, readonly string[]>();
  /** The entries with each dependency, as sets: thousands of earlier secrets of a key can depend on its id. */
  readonly #dependents = new Map<string, Set<string>>();
  #bytes = 0;

  constructor(options: KeyCacheOptions<Match>) {
    this.#options = options;
    this.#maxBytes = options.maxBytes ?? Number.POSITIVE_INFINITY;
    this.#matches = new LruMap(options.maxKeys, (cacheKey, match) => this.#forget(cacheKey, match));
  }

  get size(): number {
    return this.#matches.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(cacheKey: string): Match | undefined {
    return this.#matches.get(cacheKey);
  }

  /** Returns the dependencies of an entry; undefined if it depends only on its key's id or was evicted. */
  dependenciesOf(cacheKey: string): readonly string[] | undefined {
    return this.#dependencies.get(cacheKey);
  }

  add(cacheKey: string, { match, dependencies }: Row<Match>): void {
    this.#remove(cacheKey);
    if (dependencies === null) return;
    if (typeof dependencies === 'string') {
      // A key has one current secret, so an entry of another secret is outdated. Later changes would not find it.
      this.#removeById(dependencies);
      this.#cacheKeyById.set(dependencies, cacheKey);
    } else {
      this.#dependencies.set(cacheKey, dependencies);
      for (const name of dependencies) {
        const dependents = this.#dependents.get(name);
        if (dependents === undefined) this.#dependents.set(name, new Set([cacheKey]));
        else dependents.add(cacheKey);
      }
    }
    this.#set(cacheKey, match);
  }

  /** Replaces or removes the entries that a change makes invalid. Returns whether any entry was removed. */
  apply({ names, replacement }: CacheChange<Match>): boolean {
    let hasRemoved = replacement !== null && this.#replace(names[0] ?? '', replacement);
    for (const name of names) {
      if (replacement === null && this.#removeById(name)) hasRemoved = true;
      for (const cacheKey of this.#dependents.get(name) ?? []) hasRemoved = this.#remove(cacheKey) || hasRemoved;
    }
    return hasRemoved;
  }

  /** Evicts keys until the rest fits. `apply` does not evict, because its round may still need all keys. */
  trim(): void {
    while (this.#bytes > this.#maxBytes && this.#matches.size > 0) this.#matches.evict();
  }

  clear(): void {
    this.#matches.clear();
    this.#cacheKeyById.clear();
    this.#dependencies.clear();
    this.#dependents.clear();
    this.#bytes = 0;
  }

  /** Replaces the entry. If the secret differs, removes the entry instead and returns true. */
  #replace(id: string, replacement: Match): boolean {
    const cacheKey = this.#cacheKeyById.get(id);
    const cached = cacheKey === undefined ? undefined : this.#matches.peek(cacheKey);
    if (cacheKey === undefined || cached === undefined) return false;
    if (this.#options.isSameSecret?.(cached, replacement) !== true) return this.#remove(cacheKey);
    this.#bytes -= this.#options.bytesOf(cached);
    this.#set(cacheKey, replacement);
    return false;
  }

  #set(cacheKey: string, match: Match): void {
    this.#bytes += this.#options.bytesOf(match);
    this.#matches.set(cacheKey, match);
    this.#options.onMatch?.(match);
  }

  #removeById(id: string): boolean {
    const cacheKey = this.#cacheKeyById.get(id);
    return cacheKey !== undefined && this.#remove(cacheKey);
  }

  #remove(cacheKey: string): boolean {
    const match = this.#matches.peek(cacheKey);
    if (match === undefined) return false;
    this.#matches.delete(cacheKey);
    this.#forget(cacheKey, match);
    return true;
  }

  #forget(cacheKey: string, match: Match): void {
    const { bytesOf, idOf } = this.#options;
    this.#bytes -= bytesOf(match);
    const dependencies = this.#dependencies.get(cacheKey);
    if (dependencies === undefined) this.#cacheKeyById.delete(idOf(match) ?? '');
    else this.#forgetDependencies(cacheKey, dependencies);
  }

  #forgetDependencies(cacheKey: string, dependencies: readonly string[]): void {
    this.#dependencies.delete(cacheKey);
    for (const name of dependencies) {
      const dependents = this.#dependents.get(name);
      dependents?.delete(cacheKey);
      if (dependents?.size === 0) this.#dependents.delete(name);
    }
  }
}
