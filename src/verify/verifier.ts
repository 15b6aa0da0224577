/** Verifies presented keys against a confirmed state of the store, and records their use. */
import type { IpAddress } from '../domain/source/ip-address.ts';
import { type VerdictCode, verdictCodes } from '../domain/verdict/verdict-code.ts';
import type { CachedMatch } from './cached-key.ts';
import type { KeyLookup } from './key-search.ts';
import { Verification, type VerificationParts } from './verification.ts';
import type { Presented, Responder } from './verification-call.ts';

export class Verifier {
  readonly verdicts: Readonly<Record<VerdictCode, number>>;
  readonly #parts: VerificationParts;

  constructor(parts: Omit<VerificationParts, 'verdicts'>) {
    const verdicts = Object.fromEntries(verdictCodes.map((code) => [code, 0])) as Record<VerdictCode, number>;
    this.verdicts = verdicts;
    this.#parts = { ...parts, verdicts };
  }

  verify(presented: Presented, respond: Responder): void {
    this.#parts.search.find(new Verification(this.#parts, presented, respond));
  }

  /**
   * Finds what a secret matches, without a verdict and without counting a use; undefined for an unknown key. Rejects with
   * RATE_LIMITED, and when the store does not answer.
   */
  find(secret: string, source: IpAddress | undefined): Promise<CachedMatch | undefined> {
    const { search } = this.#parts;
    return new Promise((resolve, reject) => {
      const lookup: KeyLookup = {
        secret,
        cacheKey: null,
        source,
        decide: (match) => {
          if (match === undefined) search.countUnknown(lookup);
          resolve(match);
        },
        malformed: () => resolve(undefined),
        reject,
        fail: reject,
      };
      search.find(lookup);
    });
  }
}
