import type { KeyRing } from '../domain/secret/key-ring.ts';
import { matchOf } from '../domain/secret/matching-keys.ts';
import { hasSecretShape } from '../domain/secret/secret.ts';
import { digestsOf } from '../domain/secret/secret-digest.ts';
import type { CachedKey, CachedMatch } from './cached-key.ts';

export interface FoundMatch {
  readonly match: CachedMatch;
  /**
   * For imported keys and earlier secrets: the ids of the matching keys, and all digests under which another key would
   * match. When a key with one of these changes, the cached match is invalid. Null for the current secret of a key that
   * this service created.
   */
  readonly dependencies: readonly string[] | null;
}

/** The presented keys that are not cached. One confirmation round looks for all of them. */
export class MissingKeys {
  readonly #peppers: KeyRing;
  readonly #presentedByDigest = new Map<string, string>();
  /** By presented key, for keys in a foreign format, which only imported keys can match. */
  readonly #importedDigests = new Map<string, readonly string[]>();
  readonly #found = new Map<string, [CachedKey, ...CachedKey[]]>();

  constructor(peppers: KeyRing) {
    this.#peppers = peppers;
  }

  get size(): number {
    return this.#presentedByDigest.size;
  }

  add(secret: string, presented: string): void {
    const digests = digestsOf(secret, this.#peppers);
    for (const digest of digests) this.#presentedByDigest.set(digest, presented);
    if (!hasSecretShape(secret)) this.#importedDigests.set(presented, digests);
  }

  digests(): string[] {
    return [...this.#presentedByDigest.keys()];
  }

  presented(): Set<string> {
    return new Set(this.#presentedByDigest.values());
  }

  /** Takes a key that the store returned. Keys that no request needs are ignored. */
  take(key: CachedKey, digest: string): void {
    const presented = this.#presentedByDigest.get(digest);
    if (presented === undefined) return;
    const others = this.#found.get(presented);
    if (others === undefined) this.#found.set(presented, [key]);
    else others.push(key);
  }

  /** Returns the matches by presented key. Presented keys without a match are absent. */
  found(): Map<string, FoundMatch> {
    const matches = new Map<string, FoundMatch>();
    for (const [presented, keys] of this.#found) {
      const digests = this.#importedDigests.get(presented);
      // An entry of an earlier secret is not found by the id of its key, which belongs to the current one.
      const isPlain = digests === undefined && keys.every(({ rotated }) => !rotated);
      const dependencies = isPlain ? null : [...(digests ?? []), ...new Set(keys.map(({ id }) => id))];
      matches.set(presented, { match: matchOf(keys), dependencies });
    }
    return matches;
  }
}
