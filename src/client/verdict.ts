/** Reads the answers of the verification port, and defines its errors. Uses web standards only. */

import type { KeyEnv } from '../domain/key/key-env.ts';
import { hasScopes } from '../domain/key/scope.ts';
import { parseRateLimitFields, type RateLimitFields, type RateLimitState } from '../domain/verdict/rate-limit-state.ts';
import { type VerdictCode, verdictCodes } from '../domain/verdict/verdict-code.ts';
import {
  isPartialKey,
  isVerifiedKey,
  type PartialKey,
  type VerifiedKey,
  verifiedFields,
} from '../domain/verdict/verified-key.ts';
import { isJsonObject } from '../lib/json-object.ts';
import { tryParseJson } from '../lib/try-parse-json.ts';

export type { VerifiedKey } from '../domain/verdict/verified-key.ts';

interface Limited {
  readonly rateLimit: RateLimitState | null;
}

/** The key of a request that the middleware accepted. */
export interface AuthenticatedKey extends VerifiedKey, Limited {}

/** A rejected key is an answer, not an error. Fields that the service does not know or does not disclose are null. */
export type Verdict = Limited & KeyVerdict;

type KeyVerdict =
  | ({ readonly valid: true; readonly code: 'VALID' } & VerifiedKey)
  | ({ readonly valid: false; readonly code: Exclude<VerdictCode, 'VALID'> } & PartialKey);

/** Means that no well-formed answer arrived in time. The key may be valid or not: reject the request with 503. */
export class VerifierUnavailableError extends Error {
  override readonly name = 'VerifierUnavailableError';
  /** The Retry-After of the verifier in seconds (RFC 9110, section 10.2.3), or null. */
  readonly retryAfterSeconds: number | null;
  /** The status of the verifier's answer; null without an answer, or if a 200 was not well-formed. */
  readonly status: number | null;

  constructor(message: string, retryAfterSeconds: number | null = null, status: number | null = null) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
    this.status = status;
  }
}

/**
 * Means that the program made an invalid call (400, 413) or has a wrong verifier token (401); or, of `deriveToken`, that the
 * key is rejected (401, 403). Don't retry.
 */
export class VerifierRejectedError extends Error {
  override readonly name = 'VerifierRejectedError';
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** Compares names, because the ES module of `fetch` contains its own copies of the error classes. */
export function isVerifierError(error: unknown): error is VerifierUnavailableError | VerifierRejectedError {
  return error instanceof Error && /^Verifier(?:Unavailable|Rejected)Error$/.test(error.name);
}

/** The limit for one verdict, which has about 400 bytes, and at most 12,000 with many scopes and long metadata. */
export const maxAnswerBytes = 16 * 1024;

export interface VerifierAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** The header fields `RateLimit-Policy` and `RateLimit`. */
  readonly rateLimit: RateLimitFields;
  readonly text: string;
}

export interface CalledVerifier {
  readonly origin: string;
  /** Texts that must never be part of an error message. */
  readonly secrets: readonly string[];
}

/** The requirements of the call that a valid key must meet. */
interface Requirements {
  readonly env?: KeyEnv | undefined;
  readonly scopes?: readonly string[] | undefined;
}

/**
 * Reads the verdict from an answer. Fails closed: anything but a well-formed verdict is an error.
 *
 * @throws VerifierRejectedError for 400, 401 and 413; VerifierUnavailableError for everything else
 */
export function verdictFrom(answer: VerifierAnswer, verifier: CalledVerifier, required: Requirements): Verdict {
  const verdict = checkVerdict(bodyOf(answer, verifier), verifier, required);
  return { ...verdict, rateLimit: parseRateLimitFields(answer.rateLimit) };
}

/** Reads the verdicts on a batch, like `verdictFrom`. The answer does not contain the state of rate limits. */
export function verdictsFrom(
  answer: VerifierAnswer,
  verifier: CalledVerifier,
  required: readonly Requirements[],
): Verdict[] {
  const list = bodyOf(answer, verifier);
  if (!Array.isArray(list) || list.length !== required.length) {
    throw unavailable(verifier.origin, 'its answer is not one verdict for each verification');
  }
  return required.map((one, i) => ({ ...checkVerdict(list[i], verifier, one), rateLimit: null }));
}

/** Throws VerifierRejectedError for the `rejected` statuses, and VerifierUnavailableError for all others but `success`. */
export function bodyOf(
  { status, retryAfter, text }: VerifierAnswer,
  verifier: CalledVerifier,
  { success = 200, rejected = [400, 401, 413] } = {},
): unknown {
  const body = tryParseJson(text);
  if (status === success) return body;
  const reason = `${status}${explanationIn(body, verifier)}`;
  if (rejected.includes(status)) {
    throw new VerifierRejectedError(`The verifier at ${verifier.origin} rejected the call with ${reason}`, status);
  }
  throw unavailable(verifier.origin, `it answered ${reason}`, secondsOf(retryAfter), status);
}

/** Returns the service's explanation of an error (RFC 9457), such as a wrong port, in one line for logs. */
function explanationIn(body: unknown, { secrets }: CalledVerifier): string {
  if (!isJsonObject(body) || typeof body.detail !== 'string') return '';
  return `: ${without(secrets, body.detail)
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .slice(0, 500)}`;
}

function checkVerdict(body: unknown, { origin }: CalledVerifier, { env, scopes = [] }: Requirements): KeyVerdict {
  const verdict = readVerdict(body);
  if (verdict === null) throw unavailable(origin, 'its answer is not a verdict');
  if (verdict.valid && env !== undefined && verdict.env !== env) {
    throw unavailable(origin, 'its answer is for another environment');
  }
  if (verdict.valid && !hasScopes(verdict.scopes, scopes)) throw unavailable(origin, 'its answer is for other scopes');
  return verdict;
}

export function unavailable(
  origin: string,
  reason: string,
  retryAfterSeconds: number | null = null,
  status: number | null = null,
): VerifierUnavailableError {
  const message = `The verifier at ${origin} gave no usable answer: ${reason}`;
  return new VerifierUnavailableError(message, retryAfterSeconds, status);
}

/** Checks every field. Returns null for an answer that contradicts itself or has a code of a newer service. */
function readVerdict(body: unknown): KeyVerdict | null {
  if (!isJsonObject(body)) return null;
  const code = verdictCodes.find((known) => known === body.code);
  if (code === undefined || body.valid !== (code === 'VALID')) return null;
  const key = { ...laterFields, secret: body.keyId === null ? null : 'current', ...body };
  if (code === 'VALID') return isVerifiedKey(key) ? { valid: true, code, ...verifiedFields(key) } : null;
  return isPartialKey(key) ? { valid: false, code, ...verifiedFields(key) } : null;
}

/** Defaults, except for `secret`, of the fields that older versions of the service do not send. */
const laterFields = { scopes: [], externalId: null, metadata: null };

function secondsOf(retryAfter: string | undefined): number | null {
  return retryAfter !== undefined && /^[0-9]{1,5}$/.test(retryAfter) ? Number(retryAfter) : null;
}

function without(secrets: readonly string[], text: string): string {
  return [...secrets]
    .sort((a, b) => b.length - a.length)
    .reduce((rest, secret) => (secret === '' ? rest : rest.replaceAll(secret, '[secret]')), text);
}
