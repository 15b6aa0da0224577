/** Looks up presented keys. Only texts that may be a key reach the store. */
import { hash } from 'node:crypto';
import { LatchkeyError } from '../domain/errors.ts';
import { classify, hasSecretShape } from '../domain/secret/secret.ts';
import type { IpAddress } from '../domain/source/ip-address.ts';
import { tooManyUnknownKeys, type UnknownKeyLimit } from '../domain/verdict/unknown-key-limit.ts';
import type { Confirmation, Waiter } from './confirmation.ts';
import type { KeyCache } from './key-cache.ts';

/** A lookup of a presented key. `decide` gets the match, `fail` is called when the store does not answer. */
export interface KeyLookup extends Waiter {
  /** Set by the search. */
  presented: string | null;
  readonly source: IpAddress | undefined;
  /** Called when the text can't be a key. */
  readonly malformed: () => void;
  /** Called when the lookup is rejected. */
  readonly reject: (error: LatchkeyError) => void;
}

export class KeySearch {
  readonly #cache: KeyCache;
  readonly #confirmation: Confirmation;
  readonly #unknownKeys: UnknownKeyLimit;

  constructor(cache: KeyCache, confirmation: Confirmation, unknownKeys: UnknownKeyLimit) {
    this.#cache = cache;
    this.#confirmation = confirmation;
    this.#unknownKeys = unknownKeys;
  }

  find(lookup: KeyLookup): void {
    const { secret } = lookup;
    const isOurs = hasSecretShape(secret);
    if (!isOurs && classify(secret) === 'wrong shape') {
      lookup.malformed();
      return;
    }
    if (!isOurs && !this.#confirmation.imports) {
      this.#lookForImports(lookup);
      return;
    }
    lookup.presented = hash('sha256', secret, 'base64url');
    if (this.#cache.get(lookup.presented) === undefined) {
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
    this.#confirmation.ask(lookup);
  }

  /** Confirms the state of a key again, after it was found. */
  confirm(lookup: KeyLookup): void {
    this.#confirmation.ask(lookup);
  }

  /** Counts a lookup that found no key. */
  countUnknown({ source }: KeyLookup): void {
    this.#unknownKeys.count(source, performance.now());
  }

  /** A text in a foreign format can be a key only if any key was imported. The confirmation asks again for that. */
  #lookForImports(lookup: KeyLookup): void {
    this.#confirmation.ask({
      secret: lookup.secret,
      presented: null,
      decide: () => {
        if (this.#confirmation.imports) this.find(lookup);
        else lookup.malformed();
      },
      fail: (error) => lookup.fail(error),
    });
  }
}
