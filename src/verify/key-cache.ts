import { LRUCache } from 'lru-cache';
import { isConflict } from '../domain/secret/matching-keys.ts';
import { DependentEntries } from '../lib/dependent-entries.ts';
import type { CachedKey, CachedMatch } from './cached-key.ts';

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
  /** By key id, to apply changes that the store reports. Only current secrets of keys that this service created. */
  readonly #presentedById = new Map<string, string>();
  /** The other entries, separately, so that most keys use no memory for it. */
  readonly #dependent = new DependentEntries();
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
        if (!this.#dependent.remove(presented) && !isConflict(match)) this.#presentedById.delete(match.id);
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

  /** Returns the dependencies with which a match was added; undefined if it had none, or was evicted. */
  dependenciesOf(presented: string): readonly string[] | undefined {
    return this.#dependent.dependenciesOf(presented);
  }

  /** `dependencies`: see `FoundMatch`. */
  add(presented: string, match: CachedMatch, dependencies: readonly string[] | null = null): void {
    if (dependencies !== null) this.#dependent.add(presented, dependencies);
    else if (!isConflict(match)) this.#presentedById.set(match.id, presented);
    this.#set(presented, match);
  }

  /**
   * Replaces a cached key. Entries that depend on it are removed instead, to be read again: of an imported key, because
   * its match depends on other keys too, and of a secret that was rotated. Returns whether an entry was removed.
   */
  update(key: CachedKey, digest: string): boolean {
    // A snapshot with a rotated secret of a changed key has its current secret too, which updates the other entries.
    const byId = key.rotated ? [] : this.#dependent.find(key.id);
    const removed = !key.rotated && this.#updateCurrent(key);
    const stale = [...byId, ...this.#dependent.find(digest)];
    for (const presented of stale) {
      this.#dependent.remove(presented);
      this.#keys.delete(presented);
    }
    return removed || stale.length > 0;
  }

  #updateCurrent(key: CachedKey): boolean {
    const presented = this.#presentedById.get(key.id);
    if (presented === undefined) return false;
    const cached = this.#keys.peek(presented);
    if (cached !== undefined && !isConflict(cached) && cached.presentedVersion === key.secretVersion) {
      this.#set(presented, key);
      return false;
    }
    this.#presentedById.delete(key.id);
    return this.#keys.delete(presented);
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
    this.#dependent.clear();
  }
}

/** Estimates the memory use. A conflict consists mostly of its ids. */
function bytesOf(match: CachedMatch): number {
  return isConflict(match) ? 1000 + 100 * match.conflictingIds.length : match.bytes;
}
