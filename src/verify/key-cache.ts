import { LRUCache } from 'lru-cache';
import type { CachedKey } from './cached-key.ts';

/**
 * The keys used last, by the SHA-256 of what was presented. Rows, never verdicts: what a row means is judged anew each
 * time. What is not a key is not kept, so that no flood of inventions can push the real ones out.
 */
export class KeyCache {
  readonly #keys: LRUCache<string, CachedKey>;
  /** By the key's id, for changes that the store tells of. */
  readonly #presentedById = new Map<string, string>();

  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxKeys: number, maxBytes = Number.POSITIVE_INFINITY) {
    this.#maxBytes = maxBytes;
    this.#keys = new LRUCache({
      max: maxKeys,
      dispose: ({ id, bytes }, _, reason) => {
        this.#bytes -= bytes;
        if (reason === 'evict') this.#presentedById.delete(id);
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

  get(presented: string): CachedKey | undefined {
    return this.#keys.get(presented);
  }

  add(presented: string, key: CachedKey): void {
    this.#presentedById.set(key.id, presented);
    this.#set(presented, key);
  }

  /** Replaces what is known of the key, if anything is. */
  update(id: string, current: CachedKey): void {
    const presented = this.#presentedById.get(id);
    if (presented !== undefined) this.#set(presented, current);
  }

  #set(presented: string, key: CachedKey): void {
    this.#bytes += key.bytes;
    this.#keys.set(presented, key);
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
  }
}
