/** Verifies presented keys against a confirmed state of the store, and records their use. */
import type { IpAddress } from '../domain/ip-address.ts';
import { isConflict } from '../domain/matching-keys.ts';
import { type VerdictCode, verdictCodes } from '../domain/verdict-code.ts';
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
   * Finds the ids of all keys with this secret, without a verdict: several when teams imported the same secret, none
   * for an unknown key. Rejects with RATE_LIMITED, and when the store does not answer.
   */
  find(secret: string, source: IpAddress | undefined): Promise<readonly string[]> {
    const { search } = this.#parts;
    return new Promise((resolve, reject) => {
      const lookup: KeyLookup = {
        secret,
        presented: null,
        source,
        decide: (match: CachedMatch | undefined) => {
          if (match === undefined) search.countUnknown(lookup);
          resolve(match === undefined ? [] : isConflict(match) ? match.conflictingIds : [match.id]);
        },
        malformed: () => resolve([]),
        reject,
        fail: reject,
      };
      search.find(lookup);
    });
  }
}
