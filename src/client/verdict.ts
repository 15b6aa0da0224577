/** What the verification port answers, and the errors when there is no answer. Uses web standards only. */
import type { KeyEnv } from '../domain/key-env.ts';
import { parseRateLimitFields, type RateLimitFields, type RateLimitState } from '../domain/rate-limit-state.ts';
import { type VerdictCode, verdictCodes } from '../domain/verdict-code.ts';

export interface VerifiedKey {
  readonly keyId: string;
  readonly teamId: string;
  readonly name: string;
  readonly env: KeyEnv;
  /** The first characters of the key: unique, safe to log. */
  readonly prefix: string;
  /** ISO 8601; null when the key never expires. */
  readonly expiresAt: string | null;
}

/** The rate limit of the key; null if it has none. */
interface Limited {
  readonly rateLimit: RateLimitState | null;
}

/** A rejected key is an answer, not an error. Fields that the service does not know or does not disclose are null. */
export type Verdict = Limited & JudgedKey;

type JudgedKey =
  | ({ readonly valid: true; readonly code: 'VALID' } & VerifiedKey)
  | ({ readonly valid: false; readonly code: Exclude<VerdictCode, 'VALID'> } & {
      readonly [Field in keyof VerifiedKey]: VerifiedKey[Field] | null;
    });

/** There was no well-formed answer in time. The key may be valid or not: reject the request with 503. */
export class VerifierUnavailableError extends Error {
  override readonly name = 'VerifierUnavailableError';
  /** The Retry-After of the verifier in seconds (RFC 9110, section 10.2.3), or null. */
  readonly retryAfterSeconds: number | null;

  constructor(message: string, retryAfterSeconds: number | null = null) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The call is wrong (400, 413) or the verifier token is (401): an error in the program or configuration. Don't retry. */
export class VerifierRejectedError extends Error {
  override readonly name = 'VerifierRejectedError';
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** A verdict has about 300 bytes. */
export const maxAnswerBytes = 16 * 1024;

export interface VerifierAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** `RateLimit-Policy` and `RateLimit`. */
  readonly rateLimit: RateLimitFields;
  readonly text: string;
}

export interface AskedVerifier {
  readonly origin: string;
  /** What must never be part of an error message. */
  readonly secrets: readonly string[];
  readonly env: KeyEnv | undefined;
}

/**
 * Reads the verdict from an answer. Fails closed: anything but a well-formed verdict is an error.
 *
 * @throws VerifierRejectedError for 400, 401 and 413; VerifierUnavailableError for everything else
 */
export function verdictFrom({ status, retryAfter, rateLimit, text }: VerifierAnswer, asked: AskedVerifier): Verdict {
  if (status === 400 || status === 401 || status === 413) {
    const detail: unknown = parseObject(text)?.detail;
    const told = typeof detail === 'string' ? `: ${without(asked.secrets, detail).slice(0, 500)}` : '';
    throw new VerifierRejectedError(`The verifier at ${asked.origin} rejected the call with ${status}${told}`, status);
  }
  if (status !== 200) throw unavailable(asked.origin, `it answered ${status}`, secondsOf(retryAfter));
  const verdict = readVerdict(text);
  if (verdict === null) throw unavailable(asked.origin, 'its answer is not a verdict');
  if (verdict.valid && asked.env !== undefined && verdict.env !== asked.env) {
    throw unavailable(asked.origin, 'its answer is for another environment');
  }
  return { ...verdict, rateLimit: parseRateLimitFields(rateLimit) };
}

export function unavailable(origin: string, reason: string, retryAfterSeconds: number | null = null) {
  return new VerifierUnavailableError(`The verifier at ${origin} gave no verdict: ${reason}`, retryAfterSeconds);
}

/** Checks every field. Returns null for an answer that contradicts itself or has a code of a newer service. */
function readVerdict(text: string): JudgedKey | null {
  const answer = parseObject(text);
  if (answer === null) return null;
  const { valid, keyId, teamId, name, env, prefix, expiresAt } = answer;
  const code = verdictCodes.find((known) => known === answer.code);
  if (code === undefined || valid !== (code === 'VALID')) return null;
  if (!isTextOrNull(keyId) || !isTextOrNull(teamId) || !isTextOrNull(name) || !isTextOrNull(prefix)) return null;
  if (env !== 'live' && env !== 'test' && env !== null) return null;
  if (!isTextOrNull(expiresAt) || (expiresAt !== null && Number.isNaN(Date.parse(expiresAt)))) return null;
  if (code !== 'VALID') return { valid: false, code, keyId, teamId, name, env, prefix, expiresAt };
  if (keyId === null || teamId === null || name === null || env === null || prefix === null) return null;
  return { valid: true, code, keyId, teamId, name, env, prefix, expiresAt };
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}

function secondsOf(retryAfter: string | undefined): number | null {
  return retryAfter !== undefined && /^[0-9]{1,5}$/.test(retryAfter) ? Number(retryAfter) : null;
}

function without(secrets: readonly string[], text: string): string {
  return secrets.reduce((rest, secret) => (secret === '' ? rest : rest.replaceAll(secret, '[secret]')), text);
}
