/** Turns a CheckRequest into a verification, by the same rules as a call of `/v1/authorize`. */
import type { IncomingHttpHeaders } from 'node:http';
import { findPresentedKey } from '../../domain/key-location.ts';
import { repeatedHeaderError } from '../../domain/repeated-header.ts';
import { contentDigest } from '../../domain/signature/content-digest.ts';
import { isZeroLength, type SignedRequest } from '../../domain/signature/signed-request.ts';
import { parseForwardedAddress } from '../../domain/source/forwarded-address.ts';
import {
  type AuthorizeCall,
  type AuthorizeRules,
  absoluteUrl,
  signedHeaders,
  sourceTextOf,
} from '../request/authorize-call.ts';
import type { CheckRequest } from './check-request.ts';
import { routeContext } from './route-context.ts';

/** Throws BAD_USER_INPUT for a repeated header with a key and for a wrong configuration of the route. */
export function parseCheckCall(request: CheckRequest, rules: AuthorizeRules): AuthorizeCall {
  const repeated = repeatedHeaderError(request.headers, rules.keyLocations.headers);
  if (repeated !== null) throw repeated;
  const { required, buffersBodies } = routeContext(request.context);
  const headers = joinedHeaders(request.headers);
  const presented = findPresentedKey(headers, rules.keyLocations);
  if (presented.kind !== 'key') return presented;
  const call = {
    secret: presented.key,
    env: required.env,
    source: parseForwardedAddress(sourceOf(request, headers, rules)) ?? undefined,
    scopes: required.scopes,
    request: () => signedRequest(request, headers, buffersBodies, rules),
  };
  return { kind: 'call', call };
}

/** Joins repeated headers, as Node.js does. Has no prototype, because the client chooses the names. */
function joinedHeaders(list: readonly string[]): IncomingHttpHeaders & Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (let i = 0; i < list.length; i += 2) {
    const name = (list[i] ?? '').toLowerCase();
    const value = list[i + 1] ?? '';
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}, ${value}`;
  }
  return headers;
}

/**
 * Returns the address that connected to Envoy. Behind another proxy that is the proxy, so `SOURCE_HEADER` replaces it;
 * but only with GATEWAY=envoy, because clients of Envoy could send the header of another gateway.
 */
function sourceOf({ source }: CheckRequest, headers: IncomingHttpHeaders, rules: AuthorizeRules): string {
  if (rules.convention !== 'envoy' || rules.sourceHeader === null) return source;
  return sourceTextOf(headers, rules) ?? '';
}

function signedRequest(
  request: CheckRequest,
  headers: IncomingHttpHeaders,
  buffersBodies: boolean,
  { apiChecksContentDigest }: AuthorizeRules,
): SignedRequest {
  const { method, scheme, host, path, body } = request;
  const url = absoluteUrl(scheme === '' ? 'http' : scheme, host, path);
  const signed = { method, url, headers: signedHeaders(headers) };
  if (isWholeBody(body, headers)) return { ...signed, bodyDigest: bodyDigests(body) };
  if (body.length === 0 && hasNoBody(method, headers, buffersBodies)) return signed;
  return { ...signed, body: apiChecksContentDigest ? 'compared by the API' : 'unknown' };
}

const partialBody = 'x-envoy-auth-partial-body';

/**
 * Envoy says `false` in its own header also if the part that it has fills its buffer exactly and more follows. Therefore
 * only a body with a Content-Length, which Envoy enforces, can be known to be whole. Envoy removes the header of a client.
 */
function isWholeBody(body: Uint8Array, headers: IncomingHttpHeaders): boolean {
  const partial = headers[partialBody];
  return (
    body.length > 0 &&
    headers['content-length'] === String(body.length) &&
    (partial === undefined || partial === 'false')
  );
}

/**
 * Without a length, only a route that buffers bodies shows that there is none: Envoy removes Transfer-Encoding, and
 * HTTP/2 has no such header. Envoy buffers no bodies of upgrades and CONNECT. Without `:method`, `allowed_headers` could
 * also hide an upgrade.
 */
function hasNoBody(method: string, headers: IncomingHttpHeaders, buffersBodies: boolean): boolean {
  if (headers[partialBody] !== undefined || headers['transfer-encoding'] !== undefined) return false;
  const length = headers['content-length'];
  if (length !== undefined) return isZeroLength(length);
  return buffersBodies && method !== 'CONNECT' && headers.upgrade === undefined && ':method' in headers;
}

function bodyDigests(body: Uint8Array): string {
  return `${contentDigest(body)}, ${contentDigest(body, 'sha-512')}`;
}
