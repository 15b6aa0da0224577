/**
 * Encodes verdicts and errors for Envoy. Every answer allows or denies: an RPC error would let the request pass if the
 * operator has set `failure_mode_allow`.
 */
import { errorTable, type LatchkeyError } from '../../domain/errors.ts';
import { type KeyLocations, noKeyProblem, type PresentedKey } from '../../domain/key-location.ts';
import { type Problem, problem, problemMediaType, problemOf, rejectionProblem } from '../../domain/problem.ts';
import { ambiguousKey, missingKey, type NoKeyCode, type VerdictCode } from '../../domain/verdict/verdict-code.ts';
import type { AnsweredKey, Outcome, VerificationCall } from '../../domain/verdict/verification-call.ts';
import { addHeaders, addKey, addReason } from '../verdict-answer.ts';
import { encodeAllowance, encodeDenial } from './check-response.ts';

/** An encoded CheckResponse. */
export interface CheckAnswer {
  readonly status: number;
  readonly verdict: VerdictCode | NoKeyCode | undefined;
  readonly bytes: Uint8Array;
}

/** `sent` has the client's headers. */
export function verdictAnswer(
  outcome: Outcome,
  sent: readonly string[],
  keyLocations: KeyLocations,
  call: Pick<VerificationCall, 'scopes' | 'source'>,
): CheckAnswer {
  const { code, key } = outcome;
  if (code === 'VALID') {
    if (key === null) throw new TypeError('a valid verdict has a key');
    return { status: 200, verdict: code, bytes: permission(key, outcome, sent, keyLocations) };
  }
  const headers = ['x-latchkey-code', code];
  addReason(headers, code, keyLocations, call);
  return denial(rejectionProblem(code), addHeaders(headers, outcome), code);
}

/** The answer to a request without a key or with two. Its challenge has no error code (RFC 6750, section 3.1). */
export function noKeyAnswer(
  presented: Exclude<PresentedKey, { readonly kind: 'key' }>,
  keyLocations: KeyLocations,
): CheckAnswer {
  const code = presented.kind === 'missing' ? missingKey : ambiguousKey;
  const document = problemOf('UNAUTHENTICATED', noKeyProblem(presented, keyLocations));
  return denial(document, ['x-latchkey-code', code, 'www-authenticate', keyLocations.challenge], code);
}

export function errorAnswer(error: LatchkeyError, { challenge }: Pick<KeyLocations, 'challenge'>): CheckAnswer {
  const { code, retryAfterSeconds } = error;
  const headers = ['x-latchkey-code', code];
  if (errorTable[code].status === 401) headers.push('www-authenticate', challenge);
  if (retryAfterSeconds !== undefined) headers.push('retry-after', String(retryAfterSeconds));
  return denial(problem(error), headers);
}

function denial(document: Problem, headers: string[], verdict?: CheckAnswer['verdict']): CheckAnswer {
  const { status } = document;
  headers.push('content-type', problemMediaType, 'cache-control', 'no-store');
  return { status, verdict, bytes: encodeDenial({ status, headers, body: JSON.stringify(document) }) };
}

function permission(
  key: AnsweredKey,
  outcome: Outcome,
  sent: readonly string[],
  { allHeaders }: KeyLocations,
): Uint8Array {
  const requestHeaders = ['x-latchkey-code', outcome.code];
  addKey(requestHeaders, key);
  return encodeAllowance({
    requestHeaders,
    removedHeaders: [...allHeaders, ...spoofedHeaders(namesOf(sent), new Set(namesOf(requestHeaders)))],
    responseHeaders: addHeaders([], outcome),
  });
}

/** In frameworks that read headers as CGI variables, `x_latchkey_key_id` has the same name as `x-latchkey-key-id`. */
const identityName = /^x[-_]latchkey[-_]/i;

/**
 * Returns the names that could be mistaken for Latchkey's own headers. Envoy removes headers after it has set others, so
 * the names that are set are not among them.
 */
function spoofedHeaders(sent: readonly string[], set: ReadonlySet<string>): Set<string> {
  return new Set(sent.filter((name) => identityName.test(name) && !set.has(name.toLowerCase())));
}

function namesOf(headers: readonly string[]): string[] {
  return headers.filter((_, i) => i % 2 === 0);
}
