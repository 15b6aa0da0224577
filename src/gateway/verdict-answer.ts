/** Sends a verdict: in the body for `/v1/verify`, in the status and headers for `/v1/authorize`. */
import type { ServerResponse } from 'node:http';
import { rateLimitFields } from '../domain/rate-limit-state.ts';
import { sessionTokenHint } from '../domain/session-token-shape.ts';
import type { VerdictCode } from '../domain/verdict-code.ts';
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
  const { code, key } = outcome;
  addHint(response, outcome);
  addRateLimit(response, outcome);
  const described = key === null ? noKey : key.described;
  const body = `{"valid":${code === 'VALID'},"code":"${code}",${described}`;
  response.writeHead(200, ['content-type', 'application/json', 'content-length', String(Buffer.byteLength(body))]);
  response.end(body);
}

const noKey =
  '"keyId":null,"teamId":null,"name":null,"env":null,"prefix":null,"expiresAt":null,"secret":null,"scopes":[],"externalId":null,"metadata":null}';

export function sendPermission(response: ServerResponse, outcome: Outcome, convention: GatewayConvention): void {
  const { code, key } = outcome;
  addHint(response, outcome);
  addRateLimit(response, outcome);
  if (code === 'VALID' && key !== null) {
    response.writeHead(200, [
      'x-latchkey-code',
      code,
      'x-latchkey-key-id',
      key.id,
      'x-latchkey-team-id',
      key.teamId,
      'x-latchkey-env',
      key.env,
      'content-length',
      '0',
    ]);
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
