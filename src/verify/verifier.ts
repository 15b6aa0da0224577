/** Verifies presented keys against a confirmed state of the store, and records each use. */
import type { IpAddress } from '../domain/source/ip-address.ts';
import { type VerdictCode, verdictCodes } from '../domain/verdict/verdict-code.ts';
import type { VerificationCall } from '../domain/verdict/verification-call.ts';
import type { KeyLookup } from '../engine/key-search.ts';
import type { CachedKey } from './cached-key.ts';
import { type Responder, RunningVerification, unknownKeysError, type VerificationParts } from './verification.ts';

export class StoreVerifier {
  readonly verdicts: Readonly<Record<VerdictCode, number>>;
  readonly #parts: VerificationParts;

  constructor(parts: Omit<VerificationParts, 'verdicts'>) {
    const verdicts = Object.fromEntries(verdictCodes.map((code) => [code, 0])) as Record<VerdictCode, number>;
    this.verdicts = verdicts;
    this.#parts = { ...parts, verdicts };
  }

  verify(call: VerificationCall, respond: Responder): void {
    this.#parts.search.find(new RunningVerification(this.#parts, call, respond));
  }

  /** Finds what a secret matches, without counting a use. Rejects with RATE_LIMITED, and when the store does not answer. */
  find(secret: string, source: IpAddress | undefined): Promise<CachedKey | undefined> {
    const { search, state, trips, scheduler } = this.#parts;
    const { fences } = state;
    return new Promise((resolve, reject) => {
      const lookup: KeyLookup<CachedKey> = {
        secret,
        cacheKey: null,
        source,
        decide: (match) => {
          if (match === undefined || match.tripwire) search.countUnknown(lookup);
          else fences.mark(match);
          if (match?.tripwire === true) trips.record(match, source, scheduler.date());
          resolve(match?.tripwire === true ? undefined : match);
        },
        malformed: () => resolve(undefined),
        limited: (retryAfterSeconds) => reject(unknownKeysError(retryAfterSeconds)),
        fail: reject,
      };
      search.find(lookup);
    });
  }
}
