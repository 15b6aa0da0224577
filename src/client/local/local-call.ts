/** The input of a local verification, and the callbacks for its result. */

import type { KeyEnv } from '../../domain/key/key-env.ts';
import type { SignedRequest } from '../../domain/signature/signed-request.ts';
import type { IpAddress } from '../../domain/source/ip-address.ts';
import type { RateLimitState } from '../../domain/verdict/rate-limit-state.ts';
import type { VerdictCode } from '../../domain/verdict/verdict-code.ts';
import type { AnsweredKey } from './local-key.ts';

export interface LocalCall {
  readonly secret: string;
  /** The environment that the caller serves; undefined when it accepts any. */
  readonly env: KeyEnv | undefined;
  /** The scopes that the request needs, all of them. */
  readonly scopes: readonly string[];
  /** Where the request came from; undefined when it is not known. */
  readonly source: IpAddress | undefined;
  /** The signed request. Called only when the service decides. */
  readonly request: () => SignedRequest | undefined;
}

export interface LocalOutcome {
  readonly code: VerdictCode;
  /** Null for MALFORMED, NOT_FOUND, and REVOKED where keys of several teams match. */
  readonly key: AnsweredKey | null;
  /** Null if the key has no rate limit. */
  readonly rateLimit: RateLimitState | null;
  /** Whether the presented key looks like a session token. */
  readonly looksLikeSessionToken?: true;
}

/** Receives the result of a verification, at once or later. */
export interface LocalResponder {
  readonly answer: (outcome: LocalOutcome) => void;
  /** Called when there is no verdict: with a VerifierUnavailableError, or a VerifierRejectedError. */
  readonly fail: (error: unknown) => void;
  /** Called when the verification starts to wait for the service to decide. */
  readonly forwards?: () => void;
}
