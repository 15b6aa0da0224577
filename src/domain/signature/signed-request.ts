import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';
import { trimOptionalWhitespace } from './structured-fields.ts';

/** A request as its receiver reports it. */
export interface SignedRequest {
  /** The method as sent, because methods are case-sensitive (RFC 9110, section 9.1). */
  readonly method: string;
  /** Absolute, or the path and query of the request line, in which case the Host header is the authority. */
  readonly url: string;
  /** Names can be in any case. A field that was sent in several lines is an array. */
  readonly headers: HeaderFields;
  /**
   * The digest of the body that arrived, as a Content-Digest value: `sha-256=:…:` or `sha-512=:…:`, or both.
   * Absent if no body arrived, which is invalid for a request that announces a body or was signed with a body.
   */
  readonly bodyDigest?: string;
  /** Present only if the body cannot be compared here, because a gateway reports the request without its body. */
  readonly body?: UncomparedBody;
}

/** `unknown`: a body may exist that nobody compares. `compared by the API`: as the operator configured. */
export type UncomparedBody = 'unknown' | 'compared by the API';

/** Header fields by name. An undefined field is absent, as in Node's types. */
export type HeaderFields = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The header fields that a signature depends on, by their lower-case names. */
export type RelevantFields = ReadonlyMap<string, string>;

const relevant: ReadonlySet<string> = new Set([
  'content-digest',
  'content-length',
  'host',
  'signature',
  'signature-input',
  'transfer-encoding',
]);

/** Joins the lines of each field in their order, without the whitespace around a line (RFC 9421, section 2.1). */
export function relevantFields(headers: HeaderFields): RelevantFields {
  const fields = new Map<string, string>();
  for (const name of Object.keys(headers)) {
    const field = name.toLowerCase();
    if (!relevant.has(field)) continue;
    const value = headers[name] ?? [];
    const lines = typeof value === 'string' ? [value] : value;
    for (const line of lines) {
      const before = fields.get(field);
      const text = trimOptionalWhitespace(line);
      fields.set(field, before === undefined ? text : `${before}, ${text}`);
    }
  }
  return fields;
}

/** Returns whether the header announces a body (RFC 9112, section 6.3). An invalid Content-Length announces a body. */
export function announcesBody(fields: RelevantFields): boolean {
  const length = fields.get('content-length');
  return fields.has('transfer-encoding') || (length !== undefined && !isZeroLength(length));
}

export function isZeroLength(contentLength: string): boolean {
  return /^0+$/.test(contentLength);
}

/** The derived components of RFC 9421, section 2.2, that a signature covers. */
export interface RequestTarget {
  readonly method: string;
  readonly authority: string;
  readonly path: string;
  /** Starts with `?`, and is only `?` if there is no query. */
  readonly query: string;
}

/** More than gateways accept by default. A signature check takes time for each character. */
const maxUrlLength = 16_384;

/** The format of a method: a token (RFC 9110, section 5.6.2). */
const methodShape = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,64}$/;

/**
 * Parsed without `URL`, which would decode, encode and resolve parts that were signed as sent, and drop tabs and
 * newlines. Accepts printable ASCII without user information and fragments, which are never part of a target. Proxies and
 * frameworks name the handshake of a WebSocket `ws` or `wss`, which have the ports of http and https (RFC 6455, section 3).
 */
const absoluteUrl = /^(https?|wss?):\/\/([^/?]+)([^?]*)(.*)$/i;
const originForm = /^(\/[^?]*)(.*)$/;
const allowedInUrl = /^[\x21\x22\x24-\x7e]+$/;
/** An authority (RFC 3986, section 3.2.2) without commas, because a comma joins several Host headers. */
const authorityShape = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+;=%-]+)(?::[0-9]{0,5})?$/;

export function parseRequestTarget(request: SignedRequest, fields: RelevantFields): Parsed<RequestTarget> {
  const { method, url } = request;
  if (!methodShape.test(method)) return rejected('The method must be a token of at most 64 characters');
  if (url.length > maxUrlLength) return rejected(`The URL must have at most ${maxUrlLength} characters`);
  if (!allowedInUrl.test(url)) return rejected('The URL must be printable ASCII without spaces and without a fragment');
  const origin = originForm.exec(url);
  if (origin !== null) {
    const [, path = '', query = ''] = origin;
    // The scheme is unknown, so no default port can be removed. No client sends the default port in Host.
    return targetOf(method, '', fields.get('host') ?? '', path, query);
  }
  const absolute = absoluteUrl.exec(url);
  if (absolute === null) return rejected('The URL must be an absolute http, https, ws or wss one, or a path');
  const [, scheme = '', authority = '', path = '', query = ''] = absolute;
  return targetOf(method, /^(?:https|wss)$/i.test(scheme) ? '443' : '80', authority, path, query);
}

function targetOf(
  method: string,
  defaultPort: string,
  authority: string,
  path: string,
  query: string,
): Parsed<RequestTarget> {
  if (!authorityShape.test(authority)) return rejected('The authority must be one host, with or without a port');
  return accepted({
    method,
    authority: normalizeAuthority(authority, defaultPort),
    path: path === '' ? '/' : path,
    query: query === '' ? '?' : query,
  });
}

/** Converts to lower case and removes the scheme's default port (RFC 9421, section 2.2.3; RFC 9110, section 4.2.3). */
function normalizeAuthority(authority: string, defaultPort: string): string {
  const lower = authority.toLowerCase();
  if (lower.endsWith(':')) return lower.slice(0, -1);
  return defaultPort !== '' && lower.endsWith(`:${defaultPort}`) ? lower.slice(0, -defaultPort.length - 1) : lower;
}
