import { LruMap } from '../lib/lru-map.ts';
import type { CacheChange, CacheRow } from './state-source.ts';

export interface KeyCacheOptions<Match> {
  readonly maxKeys: number;
  readonly maxBytes?: number;
  /** Estimates the memory use of a match. */
  readonly bytesOf: (match: Match) => number;
  /** The maximum number of entries of one key besides that of its current secret. Default: no limit. */
  readonly maxPerKey?: number;
  /** The maximum size of these entries. Default: no limit. */
  readonly maxBytesPerKey?: number;
  /** Returns the id of the key. */
  readonly idOf: (match: Match) => string;
  /** Returns whether both matches are of the same secret. Default: false. */
  readonly isSameSecret?: (cached: Match, changed: Match) => boolean;
  /** Called with each match that is added or replaced. */
  readonly onMatch?: (match: Match) => void;
}

interface Dropped {
  readonly entries: Set<string>;
  bytes: number;
}

/**
 * A cache of recently used keys, by the SHA-256 of the presented key. It contains no verdicts, and no unknown keys, so
 * that a flood of invented keys can't evict real keys.
 */
export class KeyCache<Match> {
  readonly #options: KeyCacheOptions<Match>;
  readonly #maxBytes: number;
  readonly #maxPerKey: number;
  readonly #maxBytesPerKey: number;
  readonly #matches: LruMap<Match>;
  /** The entry of each key's current secret, which a change replaces. */
  readonly #current = new Map<string, string>();
  /** The entries of each key that a change drops, as sets: a key can have thousands of earlier secrets. */
  readonly #dropped = new Map<string, Dropped>();
  #bytes = 0;

  constructor(options: KeyCacheOptions<Match>) {
    this.#options = options;
    this.#maxBytes = options.maxBytes ?? Number.POSITIVE_INFINITY;
    this.#maxPerKey = options.maxPerKey ?? Number.POSITIVE_INFINITY;
    this.#maxBytesPerKey = options.maxBytesPerKey ?? Number.POSITIVE_INFINITY;
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

  add(cacheKey: string, { match, onChange }: CacheRow<Match>): void {
    this.#remove(cacheKey);
    if (onChange === null) return;
    const id = this.#options.idOf(match);
    if (onChange === 'replace') {
      // A key has one current secret, so an entry of another secret is outdated. Later changes would not find it.
      this.#removeCurrent(id);
      this.#current.set(id, cacheKey);
    } else {
      const bytes = this.#options.bytesOf(match);
      this.#makeRoom(id, bytes);
      const others = this.#dropped.get(id) ?? { entries: new Set(), bytes: 0 };
      others.entries.add(cacheKey);
      others.bytes += bytes;
      this.#dropped.set(id, others);
    }
    this.#set(cacheKey, match);
  }

  /** So that the tokens of one key take no space from other keys. */
  #makeRoom(id: string, added: number): void {
    for (const oldest of this.#dropped.get(id)?.entries ?? []) {
      const { entries, bytes } = this.#dropped.get(id) ?? { entries: { size: 0 }, bytes: 0 };
      if (entries.size < this.#maxPerKey && bytes + added <= this.#maxBytesPerKey) return;
      this.#remove(oldest);
    }
  }

  /** Replaces or removes the entries of a changed key. Returns whether any entry was removed. */
  apply({ id, replacement }: CacheChange<Match>): boolean {
    let hasRemoved = replacement === null ? this.#removeCurrent(id) : this.#replace(id, replacement);
    for (const cacheKey of this.#dropped.get(id)?.entries ?? []) hasRemoved = this.#remove(cacheKey) || hasRemoved;
    return hasRemoved;
  }

  /** Evicts keys until the rest fits. `apply` does not evict, because its round may still need all keys. */
  trim(): void {
    while (this.#bytes > this.#maxBytes && this.#matches.size > 0) this.#matches.evict();
  }

  clear(): void {
    this.#matches.clear();
    this.#current.clear();
    this.#dropped.clear();
    this.#bytes = 0;
  }

  /** Replaces the entry. If the secret differs, removes the entry instead and returns true. */
  #replace(id: string, replacement: Match): boolean {
    const cacheKey = this.#current.get(id);
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

  #removeCurrent(id: string): boolean {
    const cacheKey = this.#current.get(id);
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
    const bytes = bytesOf(match);
    this.#bytes -= bytes;
    const id = idOf(match);
    const others = this.#dropped.get(id);
    if (this.#current.get(id) === cacheKey) this.#current.delete(id);
    else if (others?.entries.delete(cacheKey)) others.bytes -= bytes;
    if (others?.entries.size === 0) this.#dropped.delete(id);
  }
}

/** The share of a cache that the entries of one key can have, besides that of its current secret. */
export function shareOfKey(maxKeys: number, maxBytes: number) {
  return { maxPerKey: Math.max(16, Math.floor(maxKeys / 100)), maxBytesPerKey: maxBytes / 100 };
}
