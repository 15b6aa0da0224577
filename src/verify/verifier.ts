/** Verdicts on presented keys: confirmed state in, verdict out, and the use recorded. */
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
import type { KeySearch, Seeker } from './key-search.ts';
import type { NonceBatch } from './nonce-batch.ts';
import type { UsageRecorder } from './usage-recorder.ts';
import { Verification } from './verification.ts';

export interface Presented {
  readonly secret: string;
  /** The environment that the caller serves; undefined when it does not care. */
  readonly env: KeyEnv | undefined;
  /** Where the request came from; undefined when it is not known. */
  readonly source: IpAddress | undefined;
  /** The request itself, for its signature: asked for only where one is needed. */
  readonly request: () => SignedRequest | undefined;
}

export interface Outcome {
  readonly code: VerdictCode;
  /** Null for MALFORMED, NOT_FOUND, and REVOKED where keys of several teams match. */
  readonly key: CachedKey | null;
  /** Whether what was presented looks like a session token. */
  readonly looksLikeSessionToken?: true;
}

/** Called back rather than promised: this runs once for each request of somebody's API. */
export interface Respond {
  readonly answer: (outcome: Outcome) => void;
  /** The store could not be asked, so there is no answer: never a yes by default. */
  readonly fail: (error: unknown) => void;
  /** There is no verdict, for what the caller may read: RATE_LIMITED, or UNAVAILABLE where too many wait for DNS. */
  readonly reject: (error: LatchkeyError) => void;
  /** Called when it begins to wait for DNS, at the expense of the key's team, and when it goes on. */
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

  verify(presented: Presented, respond: Respond): void {
    this.#parts.search.find(new Verification(this.#parts, presented, respond));
  }

  /**
   * The ids of the keys with this secret as of now, without a verdict: several where teams imported it independently,
   * none where there is no such key. Rejects with RATE_LIMITED, and where the store could not be asked.
   */
  find(secret: string, source: IpAddress | undefined): Promise<readonly string[]> {
    const { search } = this.#parts;
    return new Promise((resolve, reject) => {
      const seeker: Seeker = {
        secret,
        presented: null,
        source,
        decide: (match: CachedMatch | undefined) => {
          if (match === undefined) search.countUnknown(seeker);
          resolve(match === undefined ? [] : isConflict(match) ? match.conflictingIds : [match.id]);
        },
        malformed: () => resolve([]),
        reject,
        fail: reject,
      };
      search.find(seeker);
    });
  }
}
