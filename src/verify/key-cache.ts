import { LRUCache } from 'lru-cache';
import { isConflict } from '../domain/matching-keys.ts';
import type { CachedKey, CachedMatch } from './cached-key.ts';
import { ImportedEntries } from './imported-entries.ts';

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

  /** `onKey` is told of each key that enters or changes. */
  constructor(limit: number, onKey: (key: CachedKey) => void = () => undefined) {
    this.#onKey = onKey;
    this.#keys = new LRUCache({
      max: limit,
      dispose: (match, presented, reason) => {
        if (reason !== 'evict') return;
        if (!this.#imports.remove(presented) && !isConflict(match)) this.#presentedById.delete(match.id);
      },
    });
  }

  get size(): number {
    return this.#keys.size;
  }

  get(presented: string): CachedMatch | undefined {
    return this.#keys.get(presented);
  }

  /** `traces`: those of an imported key, by which the store may tell of a change. */
  add(presented: string, match: CachedMatch, traces: readonly string[] | null = null): void {
    if (traces !== null) this.#imports.add(presented, traces);
    else if (!isConflict(match)) this.#presentedById.set(match.id, presented);
    this.#keys.set(presented, match);
    if (!isConflict(match)) this.#onKey(match);
  }

  /**
   * Replaces what is known of the key, if anything is. What an imported key stands for depends on others too: then it is
   * removed instead, to be read anew. Returns whether it was.
   */
  update(current: CachedKey, digest: string): boolean {
    const presented = this.#presentedById.get(current.id);
    if (presented !== undefined) {
      this.#keys.set(presented, current);
      this.#onKey(current);
    }
    const stale = this.#imports.find(current.id) ?? this.#imports.find(digest);
    if (stale === undefined) return false;
    this.#imports.remove(stale);
    return this.#keys.delete(stale);
  }

  clear(): void {
    this.#keys.clear();
    this.#presentedById.clear();
    this.#imports.clear();
  }
}
