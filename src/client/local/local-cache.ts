import { RecentMap } from '../../domain/recent-map.ts';
import type { LocalKey } from './local-key.ts';

/**
 * The keys that were used last, by the SHA-256 of what was presented. It contains keys and never verdicts. Unknown keys
 * are not cached, so that invented keys can't evict real ones.
 */
export class LocalCache {
  readonly #keys: RecentMap<LocalKey>;
  /** The cached secrets of each key: in general one. */
  readonly #presentedById = new Map<string, readonly string[]>();
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

  add(presented: string, key: LocalKey): void {
    this.#drop(presented);
    this.#presentedById.set(key.id, [...(this.#presentedById.get(key.id) ?? []), presented]);
    if (key.imported) this.#imported.add(presented);
    this.#keys.set(presented, key);
  }

  /** Removes all secrets of these keys. */
  dropKeys(ids: readonly string[]): void {
    for (const id of ids) for (const presented of this.#presentedById.get(id) ?? []) this.#drop(presented);
  }

  dropImported(): void {
    for (const presented of this.#imported) this.#drop(presented);
  }

  clear(): void {
    this.#keys.clear();
    this.#presentedById.clear();
    this.#imported.clear();
  }

  #drop(presented: string): void {
    const key = this.#keys.peek(presented);
    if (key === undefined) return;
    this.#keys.delete(presented);
    this.#forget(presented, key);
  }

  #forget(presented: string, { id }: LocalKey): void {
    this.#imported.delete(presented);
    const others = (this.#presentedById.get(id) ?? []).filter((other) => other !== presented);
    if (others.length === 0) this.#presentedById.delete(id);
    else this.#presentedById.set(id, others);
  }
}
