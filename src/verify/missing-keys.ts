import type { KeyRing } from '../domain/key-ring.ts';
import { matchOf } from '../domain/matching-keys.ts';
import { hasSecretShape } from '../domain/secret.ts';
import { digestsOf } from '../domain/secret-digest.ts';
import type { CachedKey, CachedMatch } from './cached-key.ts';

export interface FoundMatch {
  readonly match: CachedMatch;
  /**
   * Where only imported keys can match: everything by which the store may tell of a change, which is the ids of those
   * that do and all digests under which another one would. Null for a key made here.
   */
  readonly traces: readonly string[] | null;
}

/** The presented keys that the cache lacks, which one round with the store looks for. */
export class MissingKeys {
  readonly #peppers: KeyRing;
  readonly #presentedByDigest = new Map<string, string>();
  /** Of presented keys in another form than ours, which only imported keys can match. */
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

  /** Takes a key that the store told of; it need not be one that is looked for. */
  take(key: CachedKey, digest: string): void {
    const presented = this.#presentedByDigest.get(digest);
    if (presented === undefined) return;
    const others = this.#found.get(presented);
    if (others === undefined) this.#found.set(presented, [key]);
    else others.push(key);
  }

  /** By what was presented; what nothing was found for is absent. */
  found(): Map<string, FoundMatch> {
    const matches = new Map<string, FoundMatch>();
    for (const [presented, keys] of this.#found) {
      const digests = this.#importedDigests.get(presented);
      const traces = digests === undefined ? null : [...digests, ...new Set(keys.map(({ id }) => id))];
      matches.set(presented, { match: matchOf(keys), traces });
    }
    return matches;
  }
}
