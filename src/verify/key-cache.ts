import { LRUCache } from 'lru-cache';
import { isConflict } from '../domain/matching-keys.ts';
import type { CachedKey, CachedMatch } from './cached-key.ts';
import { ImportedEntries } from './imported-entries.ts';

export interface KeyCacheOptions {
  readonly maxKeys: number;
  readonly maxBytes?: number;
  /** Called with each key that enters or changes. */
  readonly onKey?: (key: CachedKey) => void;
}

/**
 * The keys used last, by the SHA-256 of what was presented. Rows, never verdicts: what a row means is judged anew each
 * time. What is not a key is not kept, so that no flood of inventions can push the real ones out.
 */
export class KeyCache {
  readonly #keys: LRUCache<string, CachedMatch>;
  /** By the id of a key made here, for changes that the store tells of. */
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

  /** About how much memory the keys take. */
  get bytes(): number {
    return this.#bytes;
  }

  get(presented: string): CachedMatch | undefined {
    return this.#keys.get(presented);
  }

  /** `traces`: those of an imported key, by which the store may tell of a change. */
  add(presented: string, match: CachedMatch, traces: readonly string[] | null = null): void {
    if (traces !== null) this.#imports.add(presented, traces);
    else if (!isConflict(match)) this.#presentedById.set(match.id, presented);
    this.#set(presented, match);
  }

  /**
   * Replaces what is known of the key, if anything is. What an imported key stands for depends on others too: then it is
   * removed instead, to be read anew. Returns whether it was.
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
   * Removes the keys used longest ago until the others fit. A step of its own, and not lru-cache's `maxSize`: a key that
   * grows in `update` must not push out one that a verification of the same round waits for.
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

/** Conflicts are rare, and take little more than the ids in them. */
function bytesOf(match: CachedMatch): number {
  return isConflict(match) ? 1000 + 100 * match.conflictingIds.length : match.bytes;
}
