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
  readonly #onKey: (key: CachedKey) => void;

  /** `onKey` is told of each key that enters or changes. */
  constructor(limit: number, onKey: (key: CachedKey) => void = () => undefined) {
    this.#onKey = onKey;
    this.#keys = new LRUCache({
      max: limit,
      dispose: ({ id }, _, reason) => {
        if (reason === 'evict') this.#presentedById.delete(id);
      },
    });
  }

  get size(): number {
    return this.#keys.size;
  }

  get(presented: string): CachedKey | undefined {
    return this.#keys.get(presented);
  }

  add(presented: string, key: CachedKey): void {
    this.#presentedById.set(key.id, presented);
    this.#keys.set(presented, key);
    this.#onKey(key);
  }

  /** Replaces what is known of the key, if anything is. */
  update(id: string, current: CachedKey): void {
    const presented = this.#presentedById.get(id);
    if (presented === undefined) return;
    this.#keys.set(presented, current);
    this.#onKey(current);
  }

  clear(): void {
    this.#keys.clear();
    this.#presentedById.clear();
  }
}
