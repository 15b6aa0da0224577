/** From what a caller presents to the key, and to the store only with what may be one. */
import { hash } from 'node:crypto';
import type { LatchkeyError } from '../domain/errors.ts';
import type { IpAddress } from '../domain/ip-address.ts';
import { hasSecretShape, isPresentable, prefixOfSecret } from '../domain/secret.ts';
import type { Confirmation, Waiter } from './confirmation.ts';
import type { KeyCache } from './key-cache.ts';
import type { UnknownKeyLimit } from './unknown-key-limit.ts';

/** Whoever looks for a key. `decide` is called with it, `fail` where the store could not be asked. */
export interface Seeker extends Waiter {
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

  find(seeker: Seeker): void {
    const { secret } = seeker;
    const isOurs = hasSecretShape(secret);
    if (!isOurs && !isPresentable(secret)) {
      seeker.malformed();
      return;
    }
    if (!isOurs && !this.#confirmation.imports) {
      this.#lookForImports(seeker);
      return;
    }
    seeker.presented = hash('sha256', secret, 'base64url');
    if (this.#cache.get(seeker.presented) === undefined) {
      // Of our form, only well-formed keys are ever cached; of the others, the checksum tells without asking the store.
      if (isOurs && prefixOfSecret(secret) === null) {
        seeker.malformed();
        return;
      }
      const exceeded = this.#unknownKeys.exceeded(seeker.source);
      if (exceeded !== null) {
        seeker.reject(exceeded);
        return;
      }
    }
    this.#confirmation.ask(seeker);
  }

  /** Asks for the key as it is from now on, once it was found. */
  confirm(seeker: Seeker): void {
    this.#confirmation.ask(seeker);
  }

  /** To be called with each that was not found. */
  countUnknown({ source }: Seeker): void {
    this.#unknownKeys.count(source);
  }

  /** In another form than ours it can only be a key when some have been imported, maybe just now. */
  #lookForImports(seeker: Seeker): void {
    this.#confirmation.ask({
      secret: seeker.secret,
      presented: null,
      decide: () => {
        if (this.#confirmation.imports) this.find(seeker);
        else seeker.malformed();
      },
      fail: (error) => seeker.fail(error),
    });
  }
}
