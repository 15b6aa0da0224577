import { LRUCache } from 'lru-cache';
import { isConflict } from '../domain/matching-keys.ts';
import type { CachedKey, CachedMatch } from './cached-key.ts';
import { ImportedEntries } from './imported-entries.ts';

export interface KeyCacheOptions {
  readonly maxKeys: number;
  readonly maxBytes?: number;
  /** Called with each key that is added or changed. */
  readonly onKey?: (key: CachedKey) => void;
}

/**
 * An LRU cache of keys, by the SHA-256 of the presented key. It contains keys and never verdicts: each verification
 * decides anew. Unknown keys are not cached, so that a flood of invented keys can't evict real ones.
 */
export class KeyCache {
  readonly #keys: LRUCache<string, CachedMatch>;
  /** By key id, to apply changes that the store reports. Without imported keys. */
  readonly #presentedById = new Map<string, string>();
  readonly #imports = new ImportedEntries();
  readonly #onKey: (key: CachedKey) => void;
  readonly #maxBytes: number;
  #bytes = 0;

  constructor({ maxKeys, maxBytes = Number.POSITIVE_INFINITY, onKey = () => undefined }: KeyCacheOptions) {
    this.#onKey = onKey;
    this.#maxBytes = maxBytes;
    this.#keys = new LRUCache({
      max: maxKeys,
      dispose: (match, presented, reason) => {
        this.#bytes -= bytesOf(match);
        if (reason !== 'evict') return;
        if (!this.#imports.remove(presented) && !isConflict(match)) this.#presentedById.delete(match.id);
      },
    });
  }

  get size(): number {
    return this.#keys.size;
  }

  /** The estimated memory use of all keys. */
  get bytes(): number {
    return this.#bytes;
  }

  get(presented: string): CachedMatch | undefined {
    return this.#keys.get(presented);
  }

  /** `dependencies`: see `FoundMatch`. */
  add(presented: string, match: CachedMatch, dependencies: readonly string[] | null = null): void {
    if (dependencies !== null) this.#imports.add(presented, dependencies);
    else if (!isConflict(match)) this.#presentedById.set(match.id, presented);
    this.#set(presented, match);
  }

  /**
   * Replaces a cached key. An entry of an imported key is removed instead, to be read again, because its match depends
   * on other keys too. Returns whether an entry was removed.
   */
  update(current: CachedKey, digest: string): boolean {
    const presented = this.#presentedById.get(current.id);
    if (presented !== undefined) this.#set(presented, current);
    const stale = this.#imports.find(current.id) ?? this.#imports.find(digest);
    if (stale === undefined) return false;
    this.#imports.remove(stale);
    return this.#keys.delete(stale);
  }

  #set(presented: string, match: CachedMatch): void {
    this.#bytes += bytesOf(match);
    this.#keys.set(presented, match);
    if (!isConflict(match)) this.#onKey(match);
  }

  /**
   * Evicts the least recently used keys until the others fit. A separate step instead of lru-cache's `maxSize`: a key
   * that grows in `update` must not evict one that a verification of the same confirmation round needs.
   */
  trim(): void {
    while (this.#bytes > this.#maxBytes) this.#keys.pop();
  }

  clear(): void {
    this.#keys.clear();
    this.#presentedById.clear();
    this.#imports.clear();
  }
}

/** Estimates the memory use. A conflict consists mostly of its ids. */
function bytesOf(match: CachedMatch): number {
  return isConflict(match) ? 1000 + 100 * match.conflictingIds.length : match.bytes;
}
