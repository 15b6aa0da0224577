/** Looks up presented keys. Only texts that may be a key reach the store. */
import { hash } from 'node:crypto';
import { LatchkeyError } from '../domain/errors.ts';
import { classify, hasSecretShape } from '../domain/secret/secret.ts';
import type { IpAddress } from '../domain/source/ip-address.ts';
import { tooManyUnknownKeys, type UnknownKeyLimit } from '../domain/verdict/unknown-key-limit.ts';
import type { Waiter } from '../engine/confirmation-rounds.ts';
import type { KeyCache } from '../engine/key-cache.ts';
import type { CachedMatch } from './cached-key.ts';
import type { StoreRounds, StoreSource } from './store-source.ts';

/** A lookup of a presented key. `decide` gets the match, `fail` is called when the store does not answer. */
export interface KeyLookup extends Waiter<CachedMatch> {
  /** Set by the search. */
  cacheKey: string | null;
  readonly source: IpAddress | undefined;
  /** Called when the text can't be a key. */
  readonly malformed: () => void;
  /** Called when the lookup is rejected. */
  readonly reject: (error: LatchkeyError) => void;
}

export class KeySearch {
  readonly #cache: KeyCache<CachedMatch>;
  readonly #rounds: StoreRounds;
  readonly #state: Pick<StoreSource, 'imports'>;
  readonly #unknownKeys: UnknownKeyLimit;

  constructor(
    cache: KeyCache<CachedMatch>,
    rounds: StoreRounds,
    state: Pick<StoreSource, 'imports'>,
    unknownKeys: UnknownKeyLimit,
  ) {
    this.#cache = cache;
    this.#rounds = rounds;
    this.#state = state;
    this.#unknownKeys = unknownKeys;
  }

  find(lookup: KeyLookup): void {
    const { secret } = lookup;
    const isOurs = hasSecretShape(secret);
    if (!isOurs && classify(secret) === 'wrong shape') {
      lookup.malformed();
      return;
    }
    if (!isOurs && !this.#state.imports) {
      this.#lookForImports(lookup);
      return;
    }
    lookup.cacheKey = hash('sha256', secret, 'base64url');
    if (this.#cache.get(lookup.cacheKey) === undefined) {
      // Keys in our own format are cached only if well-formed, so the checksum is computed only on a cache miss.
      if (classify(secret) === 'wrong checksum') {
        lookup.malformed();
        return;
      }
      const retryAfterSeconds = this.#unknownKeys.retryAfterSeconds(lookup.source, performance.now());
      if (retryAfterSeconds !== null) {
        lookup.reject(new LatchkeyError('RATE_LIMITED', tooManyUnknownKeys(retryAfterSeconds), { retryAfterSeconds }));
        return;
      }
    }
    this.#rounds.confirm(lookup);
  }

  /** Confirms the state of a key again, after it was found. */
  confirm(lookup: KeyLookup): void {
    this.#rounds.confirm(lookup);
  }

  /** Counts a lookup that found no key. */
  countUnknown({ source }: KeyLookup): void {
    this.#unknownKeys.count(source, performance.now());
  }

  /** A text in a foreign format can be a key only if any key was imported, which the next confirmed state shows. */
  #lookForImports(lookup: KeyLookup): void {
    this.#rounds.confirm({
      secret: lookup.secret,
      cacheKey: null,
      ...(lookup.fresh && { fresh: true }),
      decide: () => {
        if (this.#state.imports) this.find(lookup);
        else lookup.malformed();
      },
      fail: (error) => lookup.fail(error),
    });
  }
}
