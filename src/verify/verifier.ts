/** Verifies presented keys against a confirmed state of the store, and records their use. */
import type { KeyEnv } from '../domain/api-key.ts';
import type { LatchkeyError } from '../domain/errors.ts';
import type { IpAddress } from '../domain/ip-address.ts';
import type { KeyRing } from '../domain/key-ring.ts';
import { isConflict } from '../domain/matching-keys.ts';
import type { SignedRequest } from '../domain/signed-request.ts';
import { type VerdictCode, verdictCodes } from '../domain/verdict-code.ts';
import type { CachedKey, CachedMatch } from './cached-key.ts';
import type { ConflictReports } from './conflict-reports.ts';
import type { HostResolver } from './host-resolver.ts';
import type { KeyLookup, KeySearch } from './key-search.ts';
import type { NonceBatch } from './nonce-batch.ts';
import type { UsageRecorder } from './usage-recorder.ts';
import { Verification } from './verification.ts';

export interface Presented {
  readonly secret: string;
  /** The environment that the caller serves; undefined when it accepts any. */
  readonly env: KeyEnv | undefined;
  /** The scopes that the request needs, all of them. */
  readonly scopes: readonly string[];
  /** Where the request came from; undefined when it is not known. */
  readonly source: IpAddress | undefined;
  /** The signed request. Called only when the key requires signatures. */
  readonly request: () => SignedRequest | undefined;
}

export interface Outcome {
  readonly code: VerdictCode;
  /** Null for MALFORMED, NOT_FOUND, and REVOKED where keys of several teams match. */
  readonly key: CachedKey | null;
  /** Whether the presented key looks like a session token. */
  readonly looksLikeSessionToken?: true;
}

/** Receives the result of a verification. Callbacks instead of promises, for speed on the hot path. */
export interface Responder {
  readonly answer: (outcome: Outcome) => void;
  /** Called when the store does not answer. The request then gets an error, never VALID. */
  readonly fail: (error: unknown) => void;
  /** Called when the request gets no verdict: RATE_LIMITED, or UNAVAILABLE when too many requests wait for DNS. */
  readonly reject: (error: LatchkeyError) => void;
  /** Called when the verification starts or stops waiting for DNS. */
  readonly waitsForDns: (waits: boolean) => void;
}

export interface VerifierParts {
  readonly search: KeySearch;
  readonly nonces: NonceBatch;
  readonly usage: UsageRecorder;
  readonly conflicts: ConflictReports;
  readonly hosts: HostResolver;
  readonly signingKeks: KeyRing;
  /** How often each verdict was given. */
  readonly verdicts: Record<VerdictCode, number>;
}

export class Verifier {
  readonly verdicts: Readonly<Record<VerdictCode, number>>;
  readonly #parts: VerifierParts;

  constructor(parts: Omit<VerifierParts, 'verdicts'>) {
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
