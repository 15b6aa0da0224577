/** Sends a verdict: in the body for `/v1/verify`, in the status and headers for `/v1/authorize`. */
import type { ServerResponse } from 'node:http';
import { rateLimitFields } from '../domain/rate-limit-state.ts';
import { insufficientScopeChallenge } from '../domain/scope.ts';
import { sessionTokenHint } from '../domain/session-token-shape.ts';
import type { VerdictCode } from '../domain/verdict-code.ts';
import type { CachedKey } from '../verify/cached-key.ts';
import type { Outcome } from '../verify/verification-call.ts';
import type { GatewayConvention } from './authorize-call.ts';

const forbidden: ReadonlySet<VerdictCode> = new Set(['WRONG_ENVIRONMENT', 'SOURCE_NOT_ALLOWED']);

/** Adds a hint when a session token was presented instead of a key. It is a header: the body has no field for it. */
function addHint(response: ServerResponse, { looksLikeSessionToken }: Outcome): void {
  if (looksLikeSessionToken === true) response.setHeader('x-latchkey-hint', sessionTokenHint);
}

/** Adds the fields of the IETF draft for a key with a rate limit. */
function addRateLimit(response: ServerResponse, { code, rateLimit: state }: Outcome): void {
  if (state === null) return;
  const { policy, rateLimit } = rateLimitFields(state);
  response.setHeader('ratelimit-policy', policy).setHeader('ratelimit', rateLimit);
  if (code === 'RATE_LIMITED') response.setHeader('retry-after', state.resetSeconds);
}

export function sendVerdict(response: ServerResponse, outcome: Outcome): void {
  addHint(response, outcome);
  addRateLimit(response, outcome);
  sendJson(response, verdictBody(outcome));
}

/** The answer to a batch: what a single answer says in headers is not part of it. */
export function sendVerdicts(response: ServerResponse, verdicts: readonly string[]): void {
  sendJson(response, `[${verdicts.join(',')}]`);
}

function sendJson(response: ServerResponse, body: string): void {
  response.writeHead(200, ['content-type', 'application/json', 'content-length', String(Buffer.byteLength(body))]);
  response.end(body);
}

export function verdictBody({ code, key }: Outcome): string {
  const described = key === null ? noKey : key.described;
  return `{"valid":${code === 'VALID'},"code":"${code}",${described}`;
}

const noKey =
  '"keyId":null,"teamId":null,"name":null,"env":null,"prefix":null,"expiresAt":null,"secret":null,"scopes":[],"externalId":null,"metadata":null}';

export function sendPermission(
  response: ServerResponse,
  outcome: Outcome,
  convention: GatewayConvention,
  required: readonly string[],
): void {
  const { code, key } = outcome;
  addHint(response, outcome);
  addRateLimit(response, outcome);
  if (code === 'VALID' && key !== null) {
    response.writeHead(200, [...permissionHeaders(key), 'content-length', '0']);
  } else if (code === 'INSUFFICIENT_SCOPE') {
    const challenge = insufficientScopeChallenge(required);
    response.writeHead(403, ['x-latchkey-code', code, 'www-authenticate', challenge, 'content-length', '0']);
  } else if (code === 'RATE_LIMITED') {
    // nginx forwards 401 and 403, and turns any other error status into 500.
    response.writeHead(convention === 'nginx' ? 403 : 429, ['x-latchkey-code', code, 'content-length', '0']);
  } else if (forbidden.has(code)) {
    response.writeHead(403, ['x-latchkey-code', code, 'content-length', '0']);
  } else {
    response.writeHead(401, ['x-latchkey-code', code, 'www-authenticate', 'Bearer', 'content-length', '0']);
  }
  response.end();
}

/**
 * What the API behind the gateway learns of the key. Every header is sent, some of them empty: Envoy replaces the headers
 * of the client by those of the answer, and does not remove others.
 */
function permissionHeaders({ id, teamId, env, scopeText, externalId }: CachedKey): string[] {
  const headers = ['x-latchkey-code', 'VALID', 'x-latchkey-key-id', id, 'x-latchkey-team-id', teamId];
  headers.push('x-latchkey-env', env, 'x-latchkey-scopes', scopeText);
  headers.push('x-latchkey-external-id', externalId !== null && visibleAscii.test(externalId) ? externalId : '');
  return headers;
}

/** Other external ids are not sent: encoded, one could look like another. */
const visibleAscii = /^[\x21-\x7e]+$/;
