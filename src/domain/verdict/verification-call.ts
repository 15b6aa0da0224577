/** The input and the result of a verification: the same in the service, at an edge, and in a local verifier. */
import type { KeyEnv } from '../key/key-env.ts';
import { hintAbout } from '../secret/other-credentials.ts';
import type { SignedRequest } from '../signature/signed-request.ts';
import type { IpAddress } from '../source/ip-address.ts';
import type { JudgedKey } from './checks.ts';
import type { RateLimitState } from './rate-limit-state.ts';
import type { VerdictCode } from './verdict-code.ts';

export interface VerificationCall {
  readonly secret: string;
  /** The environment that the caller serves; undefined when it accepts any. */
  readonly env: KeyEnv | undefined;
  readonly scopes: readonly string[];
  /** The address that the request came from; undefined if not known. */
  readonly source: IpAddress | undefined;
  /** Whose unknown keys are limited, if not the source's: undefined if nobody's. */
  readonly limited?: { readonly source: IpAddress | undefined };
  /** Returns the signed request. Called only if the key requires signatures or another process decides. */
  readonly request: () => SignedRequest | undefined;
}

/** The fields of a key that an answer contains. */
export interface AnsweredKey extends Pick<JudgedKey, 'expiresAt' | 'secretExpiresAt'> {
  readonly id: string;
  readonly teamId: string;
  readonly env: KeyEnv;
  /** The scopes, separated by spaces: one string takes a quarter of the memory of a list. */
  readonly scopeText: string;
  readonly externalId: string | null;
  /** The version of the secret that was presented; 0 if the service has decided for an edge. */
  readonly presentedVersion: number;
  /** Milliseconds since the epoch; null at an edge, if the service has decided or sends none. */
  readonly createdAt: number | null;
  /** The fields of the answer after `valid` and `code`, as JSON text including the closing brace. */
  readonly described: string;
}

export interface Outcome<Key extends AnsweredKey = AnsweredKey> {
  readonly code: VerdictCode;
  /** Null for MALFORMED and NOT_FOUND, and for REVOKED if a service of 0.1 says so to an edge. */
  readonly key: Key | null;
  readonly rateLimit: RateLimitState | null;
  /** The state that was decided on, as opaque text; absent if none was read, or the service of an edge has decided. */
  readonly revision?: string | undefined;
  /** What to tell the caller about a text that is not a key. */
  readonly hint?: string;
}

/** Returns the outcome for a text for which no key decides. */
export function outcomeWithoutKey(code: VerdictCode, secret: string): Outcome<never> {
  const outcome = { code, key: null, rateLimit: null };
  const hint = code === 'MALFORMED' ? hintAbout(secret) : null;
  return hint === null ? outcome : { ...outcome, hint };
}
