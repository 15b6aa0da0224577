/** The input of a verification, and the callbacks for its result. */

import type { LatchkeyError } from '../domain/errors.ts';
import type { KeyEnv } from '../domain/key/api-key.ts';
import type { SignedRequest } from '../domain/signature/signed-request.ts';
import type { IpAddress } from '../domain/source/ip-address.ts';
import type { RateLimitState } from '../domain/verdict/rate-limit-state.ts';
import type { VerdictCode } from '../domain/verdict/verdict-code.ts';
import type { CachedKey } from './cached-key.ts';

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

/** The fields of a key that an answer contains. */
export type AnsweredKey = Pick<CachedKey, 'id' | 'teamId' | 'env' | 'scopeText' | 'externalId' | 'described'>;

export interface Outcome {
  readonly code: VerdictCode;
  /** Null for MALFORMED, NOT_FOUND, and REVOKED where keys of several teams match. */
  readonly key: AnsweredKey | null;
  /** Null if the key has no rate limit. */
  readonly rateLimit: RateLimitState | null;
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
