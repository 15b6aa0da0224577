/** From what a caller presents to the key, and to the store only with what may be one. */
import { hash } from 'node:crypto';
import type { LatchkeyError } from '../domain/errors.ts';
import type { IpAddress } from '../domain/ip-address.ts';
import { hasSecretShape, isPresentable, prefixOfSecret } from '../domain/secret.ts';
import type { Confirmation, Waiter } from './confirmation.ts';
import type { KeyCache } from './key-cache.ts';
import type { UnknownKeyLimit } from './unknown-key-limit.ts';

/** Whoever looks for a key. `decide` is called with it, `fail` where the store could not be asked. */
export interface KeyLookup extends Waiter {
  /** Set by the search. */
  presented: string | null;
  readonly source: IpAddress | undefined;
  /** It can't be a key, whatever the store says. */
  readonly malformed: () => void;
  /** Called instead of looking for it. */
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
    if (!isOurs && !isPresentable(secret)) {
      lookup.malformed();
      return;
    }
    if (!isOurs && !this.#confirmation.imports) {
      this.#lookForImports(lookup);
      return;
    }
    lookup.presented = hash('sha256', secret, 'base64url');
    if (this.#cache.get(lookup.presented) === undefined) {
      // Of our form, only well-formed keys are ever cached; of the others, the checksum tells without asking the store.
      if (isOurs && prefixOfSecret(secret) === null) {
        lookup.malformed();
        return;
      }
      const exceeded = this.#unknownKeys.exceeded(lookup.source);
      if (exceeded !== null) {
        lookup.reject(exceeded);
        return;
      }
    }
    this.#confirmation.ask(lookup);
  }

  /** Asks for the key as it is from now on, once it was found. */
  confirm(lookup: KeyLookup): void {
    this.#confirmation.ask(lookup);
  }

  /** To be called with each that was not found. */
  countUnknown({ source }: KeyLookup): void {
    this.#unknownKeys.count(source);
  }

  /** In another form than ours it can only be a key when some have been imported, maybe just now. */
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
