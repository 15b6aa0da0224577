/**
 * Parses the calls of `/v1/authorize`. Reads only the headers that the operator has configured, because a client could
 * have sent the headers of other gateways' conventions.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { findPresentedKey, type KeyLocations, type PresentedKey } from '../../domain/key-location.ts';
import { isZeroLength, type SignedRequest } from '../../domain/signature/signed-request.ts';
import { parseForwardedAddress } from '../../domain/source/forwarded-address.ts';
import type { VerificationCall } from '../../domain/verdict/verification-call.ts';
import { queryTarget, segmentTarget } from './authorize-target.ts';

/** How gateways describe the original request. `generic` is as `nginx`, for gateways that pass on every status. */
export type GatewayConvention = 'nginx' | 'traefik' | 'envoy' | 'generic';

/** Returns 403 instead of 429 for nginx, which turns every error status except 401 and 403 into 500. */
export function forwardedStatus(convention: GatewayConvention | null, status: number): number {
  return convention === 'nginx' && status === 429 ? 403 : status;
}

export interface AuthorizeRules {
  readonly keyLocations: KeyLocations;
  readonly convention: GatewayConvention;
  /** The name, in lower case, of the gateway's header with the client's address; null if the gateway sends none. */
  readonly sourceHeader: string | null;
  /** The position of the client's address in this header, counted from the right. The gateway itself added entry 1. */
  readonly sourceHops: number;
  /** Whether the API behind the gateway compares Content-Digest with the body, which no gateway does. */
  readonly apiChecksContentDigest: boolean;
}

interface AuthorizeRequest {
  readonly method: string;
  /** The path and query of the gateway's call. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

export type AuthorizeCall =
  | { readonly kind: 'call'; readonly call: VerificationCall }
  | Exclude<PresentedKey, { readonly kind: 'key' }>;

/** Throws BAD_USER_INPUT if the gateway is configured wrongly, whether or not the request presents a key. */
export function parseAuthorizeCall(request: AuthorizeRequest, rules: AuthorizeRules): AuthorizeCall {
  const { headers } = request;
  const isEnvoy = rules.convention === 'envoy';
  const { required, original } = isEnvoy ? segmentTarget(request.url) : queryTarget(request.url);
  const presented = findPresentedKey(headers, rules.keyLocations);
  if (presented.kind !== 'key') return presented;
  const call = {
    secret: presented.key,
    env: required.env,
    source: parseForwardedAddress(sourceTextOf(headers, rules) ?? '') ?? undefined,
    scopes: required.scopes,
    request: () => {
      const signed = originalRequest(request, original, rules.convention);
      return signed === undefined ? undefined : withBodyOf(signed, rules);
    },
  };
  return { kind: 'call', call };
}

/** Returns the source from the gateway's header without validating it; undefined without this header. */
export function sourceTextOf(
  headers: IncomingHttpHeaders,
  { sourceHeader, sourceHops }: AuthorizeRules,
): string | undefined {
  const value = sourceHeader === null ? undefined : headers[sourceHeader];
  if (value === undefined) return undefined;
  const list = (Array.isArray(value) ? value.join(',') : value).split(',');
  // Counts from the right, because the client may have added the entries on the left.
  return (list.at(-sourceHops) ?? '').trim();
}

function originalRequest(
  { method, headers }: AuthorizeRequest,
  original: string,
  convention: GatewayConvention,
): SignedRequest | undefined {
  const signed = signedHeaders(headers);
  if (convention === 'envoy') {
    const url = absoluteUrl(one(headers['x-forwarded-proto']) ?? 'http', headers.host ?? '', original);
    return { method, url, headers: signed };
  }
  if (convention === 'traefik') {
    const [scheme, host, uri] = ['proto', 'host', 'uri'].map((name) => one(headers[`x-forwarded-${name}`]));
    const originalMethod = one(headers['x-forwarded-method']);
    if (originalMethod === undefined || scheme === undefined || host === undefined || uri === undefined)
      return undefined;
    return { method: originalMethod, url: absoluteUrl(scheme, host, uri), headers: signed };
  }
  const originalMethod = one(headers['x-original-method']);
  const url = one(headers['x-original-url']);
  if (originalMethod === undefined || url === undefined) return undefined;
  // The call has no body, and therefore no Content-Length. Two other headers have the client's values.
  const length = one(headers['x-original-content-length']);
  const encoding = one(headers['x-original-transfer-encoding']);
  return {
    method: originalMethod,
    url,
    headers: {
      ...signed,
      ...(length === undefined || length === '' ? {} : { 'content-length': length }),
      ...(encoding === undefined || encoding === '' ? {} : { 'transfer-encoding': encoding }),
    },
  };
}

/**
 * No gateway hashes bodies. Therefore, a signed request is accepted only if the gateway reports no body, or if the API
 * checks the digest. A missing Content-Length proves nothing, because HTTP/2 does not require the header.
 */
function withBodyOf(signed: SignedRequest, { apiChecksContentDigest }: AuthorizeRules): SignedRequest {
  if (apiChecksContentDigest) return { ...signed, body: 'compared by the API' };
  const { 'content-length': length, 'transfer-encoding': encoding } = signed.headers;
  const none = encoding === undefined && typeof length === 'string' && isZeroLength(length);
  return none ? signed : { ...signed, body: 'unknown' };
}

/**
 * Returns the URL. If parsing it would give other parts, returns an empty string, for which no signature is valid.
 * Without this check, a signature captured for /a/b would be valid for /b with the Host `api.example/a`.
 */
export function absoluteUrl(scheme: string, host: string, target: string): string {
  const isUnambiguous = /^(?:http|ws)s?$/i.test(scheme) && /^[^/?]+$/.test(host) && target.startsWith('/');
  return isUnambiguous ? `${scheme}://${host}${target}` : '';
}

/** Returns the headers that a signature check may need. Node has joined headers that were sent in several lines. */
export function signedHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const signed: Record<string, string> = {};
  for (const name of ['signature', 'signature-input', 'content-digest', 'content-length', 'transfer-encoding']) {
    const value = one(headers[name]);
    if (value !== undefined) signed[name] = value;
  }
  return signed;
}

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}
