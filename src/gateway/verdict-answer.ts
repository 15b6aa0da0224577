/** Sends a verdict: in the body for `/v1/verify` and `/v1/introspect`, in the status and headers for `/v1/authorize`. */
import type { ServerResponse } from 'node:http';
import { insufficientScopeChallenge, type KeyLocations, type PresentedKey } from '../domain/key-location.ts';
import { type RejectionCode, rejections } from '../domain/verdict/checks.ts';
import { rateLimitFields } from '../domain/verdict/rate-limit-state.ts';
import { ambiguousKey, missingKey, type NoKeyCode } from '../domain/verdict/verdict-code.ts';
import type { AnsweredKey, Outcome, VerificationCall } from '../domain/verdict/verification-call.ts';
import { unknownKey } from '../domain/verdict/verified-key.ts';
import { introspectionBody } from './introspection-body.ts';
import { type AuthorizeRules, forwardedStatus } from './request/authorize-call.ts';

/** Adds the rate-limit headers and a hint to the list for `writeHead`, which is faster than `setHeader`. */
export function addHeaders(headers: string[], { code, rateLimit: state, hint }: Outcome): string[] {
  if (hint !== undefined) headers.push('x-latchkey-hint', hint);
  if (state === null) return headers;
  const { policy, rateLimit } = rateLimitFields(state);
  headers.push('ratelimit-policy', policy, 'ratelimit', rateLimit);
  if (code === 'RATE_LIMITED') headers.push('retry-after', String(state.resetSeconds));
  return headers;
}

/** Names the state of the verdict for its caller. Not for clients of an API: Envoy would pass the header on to them. */
function addRevision(headers: string[], revision: string | undefined): string[] {
  if (revision !== undefined) headers.push('latchkey-revision', revision);
  return headers;
}

export function sendVerdict(response: ServerResponse, outcome: Outcome): void {
  const headers = addRevision(['content-type', 'application/json'], outcome.revision);
  sendJson(response, addHeaders(headers, outcome), verdictBody(outcome));
}

/** Sends the answer to a batch, without the headers that describe a single verdict. `revision`: if all have the same. */
export function sendVerdicts(
  response: ServerResponse,
  verdicts: readonly string[],
  revision: string | undefined,
): void {
  sendJson(response, addRevision(['content-type', 'application/json'], revision), `[${verdicts.join(',')}]`);
}

function sendJson(response: ServerResponse, headers: string[], body: string): void {
  headers.push('content-length', String(Buffer.byteLength(body)));
  response.writeHead(200, headers);
  response.end(body);
}

export function verdictBody({ code, key }: Outcome): string {
  const described = key === null ? describedUnknown : key.described;
  return `{"valid":${code === 'VALID'},"code":"${code}",${described}`;
}

/** Sends the verdict as RFC 7662, section 2.2, has it: the body never says why a key is inactive. */
export function sendIntrospection(response: ServerResponse, outcome: Outcome, issuer: string | null): void {
  const headers = ['content-type', 'application/json', 'cache-control', 'no-store', 'x-latchkey-code', outcome.code];
  sendJson(response, addHeaders(addRevision(headers, outcome.revision), outcome), introspectionBody(outcome, issuer));
}

const describedUnknown = JSON.stringify(unknownKey).slice(1);

/**
 * Latchkey's headers that a permission does not have. Envoy replaces a client's headers only by those of the answer, and
 * removes the key and these, so that the API gets neither the key nor a header of that name from the client.
 */
const neverForwarded = ['x-latchkey-hint', 'x-latchkey-verifier'];

export function sendPermission(
  response: ServerResponse,
  outcome: Outcome,
  { convention, keyLocations }: Pick<AuthorizeRules, 'convention' | 'keyLocations'>,
  call: JudgedCall,
): void {
  const { code, key } = outcome;
  const headers = addHeaders(addRevision(['x-latchkey-code', code, 'content-length', '0'], outcome.revision), outcome);
  if (code === 'VALID') {
    if (key === null) throw new TypeError('a valid verdict has a key');
    addKey(headers, key);
    if (convention === 'envoy') {
      headers.push('x-envoy-auth-headers-to-remove', [...keyLocations.allHeaders, ...neverForwarded].join(','));
    }
    response.writeHead(200, headers).end();
    return;
  }
  addReason(headers, code, keyLocations, call);
  response.writeHead(forwardedStatus(convention, rejections[code].status), headers).end();
}

/** The parts of a call that a gateway is told about if the call is rejected. */
type JudgedCall = Pick<VerificationCall, 'scopes' | 'source'>;

const sourceHint =
  'The key has an allow-list, and the gateway sent no IP address of the client: check SOURCE_HEADER and SOURCE_HOPS.';

/** Adds the challenge, and a hint if the allow-list was not compared with any address. */
export function addReason(
  headers: string[],
  code: RejectionCode,
  keyLocations: KeyLocations,
  { scopes, source }: JudgedCall,
): void {
  if (code === 'SOURCE_NOT_ALLOWED' && source === undefined) headers.push('x-latchkey-hint', sourceHint);
  if (code === 'INSUFFICIENT_SCOPE') headers.push('www-authenticate', insufficientScopeChallenge(keyLocations, scopes));
  else if (rejections[code].status === 401) headers.push('www-authenticate', keyLocations.challenge);
}

/**
 * Answers a call of `/v1/authorize` without a key or with two, and returns the code that it sent. The challenge has no
 * error code (RFC 6750, section 3.1).
 */
export function sendNoKey(
  response: ServerResponse,
  presented: Exclude<PresentedKey, { readonly kind: 'key' }>,
  { challenge }: KeyLocations,
): NoKeyCode {
  const isMissing = presented.kind === 'missing';
  const code = isMissing ? missingKey : ambiguousKey;
  const hint = isMissing ? [] : ['x-latchkey-hint', presented.detail];
  const headers = ['x-latchkey-code', code, ...hint, 'content-length', '0', 'www-authenticate', challenge];
  response.writeHead(401, headers).end();
  return code;
}

/** Adds every header, even if empty: Envoy replaces a client's header only if the answer has the header too. */
export function addKey(headers: string[], { id, teamId, env, scopeText, externalId }: AnsweredKey): void {
  headers.push('x-latchkey-key-id', id, 'x-latchkey-team-id', teamId, 'x-latchkey-env', env);
  headers.push('x-latchkey-scopes', scopeText);
  headers.push('x-latchkey-external-id', externalId !== null && visibleAscii.test(externalId) ? externalId : '');
}

/** Only external ids of these characters are sent, because an encoded id could look like another id. */
const visibleAscii = /^[\x21-\x7e]+$/;
