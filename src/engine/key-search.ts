/** Looks up presented keys. Reads nothing from the state source for a text that can't be a key. */
import { hash } from 'node:crypto';
import { classify } from '../domain/secret/secret.ts';
import { hasKeyShape } from '../domain/secret/secret-shape.ts';
import type { IpAddress } from '../domain/source/ip-address.ts';
import type { UnknownKeyLimit } from '../domain/verdict/unknown-key-limit.ts';
import type { Waiter } from './confirmation-rounds.ts';
import type { KeyCache } from './key-cache.ts';

/** A request for a key. `decide` gets the match; `fail` is called if the state source does not answer. */
export interface KeyLookup<Match> extends Waiter<Match> {
  /** Set by `KeySearch`. */
  cacheKey: string | null;
  /** The client's address, which may present a limited number of unknown keys; undefined for no limit. */
  readonly source: IpAddress | undefined;
  readonly malformed: () => void;
  /** Called when `source` has presented too many unknown keys. */
  readonly limited: (retryAfterSeconds: number) => void;
  /** Called with a cached match. Returns true if the lookup ends without a confirmation. */
  readonly takesCached?: (match: Match) => boolean;
}

export interface KeySearchOptions<Match> {
  readonly cache: Pick<KeyCache<Match>, 'get'>;
  readonly rounds: { readonly confirm: (waiter: Waiter<Match>) => void };
  /** Whether any key was ever imported, as of the last confirmed state. */
  readonly state: { readonly imports: boolean };
  readonly unknownKeys: UnknownKeyLimit;
  readonly now: () => number;
}

export class KeySearch<Match> {
  readonly #options: KeySearchOptions<Match>;

  constructor(options: KeySearchOptions<Match>) {
    this.#options = options;
  }

  find(lookup: KeyLookup<Match>): void {
    const { cache, state, unknownKeys, now } = this.#options;
    const { secret } = lookup;
    const isOurs = hasKeyShape(secret);
    if (!isOurs && classify(secret) !== 'foreign') {
      lookup.malformed();
      return;
    }
    if (!isOurs && !state.imports) {
      this.#lookForImports(lookup);
      return;
    }
    lookup.cacheKey = hash('sha256', secret, 'base64url');
    const cached = cache.get(lookup.cacheKey);
    if (cached === undefined) {
      // A cached key in our own format has a correct checksum, so it is computed only on a cache miss.
      if (classify(secret) === 'wrong checksum') {
        lookup.malformed();
        return;
      }
      const retryAfterSeconds = unknownKeys.retryAfterSeconds(lookup.source, now());
      if (retryAfterSeconds !== null) {
        lookup.limited(retryAfterSeconds);
        return;
      }
    } else if (lookup.takesCached?.(cached) === true) return;
    this.confirm(lookup);
  }

  /** Confirms the state of a key again after `find`. */
  confirm(lookup: KeyLookup<Match>): void {
    this.#options.rounds.confirm(lookup);
  }

  countUnknown({ source }: KeyLookup<Match>): void {
    this.#options.unknownKeys.count(source, this.#options.now());
  }

  /** Waits for the next confirmed state, which shows whether a text in a foreign format can be an imported key. */
  #lookForImports(lookup: KeyLookup<Match>): void {
    const { secret, fresh, arrivedAt } = lookup;
    this.#options.rounds.confirm({
      secret,
      cacheKey: null,
      ...(fresh && { fresh }),
      ...(arrivedAt !== undefined && { arrivedAt }),
      decide: () => {
        if (this.#options.state.imports) this.find(lookup);
        else lookup.malformed();
      },
      fail: (error) => lookup.fail(error),
    });
  }
}
