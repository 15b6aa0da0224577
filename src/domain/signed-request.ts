import { accepted, type Parsed, rejected } from './parsed.ts';
import { trimOptionalWhitespace } from './structured-fields.ts';

/** A request as its receiver reports it. */
export interface SignedRequest {
  /** As sent; methods are case-sensitive (RFC 9110, section 9.1). */
  readonly method: string;
  /** Absolute, or the path and query of the request line, and then the authority is the Host header's. */
  readonly url: string;
  /** Names in any case; a field that was sent in several lines as an array. */
  readonly headers: HeaderFields;
  /**
   * The digest of the body that really arrived, as a Content-Digest value: `sha-256=:…:` or `sha-512=:…:`, or both.
   * Absent: no body arrived. A request that says otherwise, or was signed with a body, is then not valid.
   */
  readonly bodyDigest?: string;
  /** Present only if the body cannot be compared here, because a gateway tells of the request. */
  readonly body?: UncomparedBody;
}

/** `unknown`: nothing compares the body, and there may be one. `compared by the API`: the operator says so. */
export type UncomparedBody = 'unknown' | 'compared by the API';

export type HeaderFields = Readonly<Record<string, string | readonly string[]>>;

/** The header fields that matter to a signature, by their lower-case names. */
export type RelevantFields = ReadonlyMap<string, string>;

const relevant: ReadonlySet<string> = new Set([
  'content-digest',
  'content-length',
  'host',
  'signature',
  'signature-input',
  'transfer-encoding',
]);

/** Lines of one field are joined in their order, each without the whitespace around it (RFC 9421, section 2.1). */
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

/** Whether the request says that it has a body (RFC 9112, section 6.3). In doubt it has. */
export function announcesBody(fields: RelevantFields): boolean {
  const length = fields.get('content-length');
  return fields.has('transfer-encoding') || (length !== undefined && !isZeroLength(length));
}

/** Whether a Content-Length says that there is no body. */
export function isZeroLength(contentLength: string): boolean {
  return /^0+$/.test(contentLength);
}

/** The derived components of RFC 9421, section 2.2, that a signature covers. */
export interface RequestTarget {
  readonly method: string;
  readonly authority: string;
  readonly path: string;
  /** With the leading `?`, which stands alone when there is no query. */
  readonly query: string;
}

/** As long as Node takes the whole head of a request to be, so that no honest URL is longer. */
const maxUrlLength = 16_384;

/** A token (RFC 9110, section 5.6.2). */
const methodShape = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,64}$/;

/**
 * Taken apart here and not by `URL`, which would decode, encode and resolve what the signer signed as sent, and which
 * drops tabs and newlines. Printable ASCII, no user information and no fragment: neither is ever part of a target.
 */
const absoluteUrl = /^(https?):\/\/([^/?]+)([^?]*)(.*)$/i;
const originForm = /^(\/[^?]*)(.*)$/;
const allowedInUrl = /^[\x21\x22\x24-\x7e]+$/;
/** RFC 3986, section 3.2.2, less the comma, which is what several Host lines would be joined with. */
const authorityShape = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+;=%-]+)(?::[0-9]{0,5})?$/;

export function parseRequestTarget(request: SignedRequest, fields: RelevantFields): Parsed<RequestTarget> {
  const { method, url } = request;
  if (!methodShape.test(method)) return rejected('The method must be a token of at most 64 characters');
  if (url.length > maxUrlLength) return rejected(`The URL must have at most ${maxUrlLength} characters`);
  if (!allowedInUrl.test(url)) return rejected('The URL must be printable ASCII without spaces and without a fragment');
  const origin = originForm.exec(url);
  if (origin !== null) {
    const [, path = '', query = ''] = origin;
    // The scheme isn't known here, so no port is the default one. No client writes the default port into Host.
    return targetOf(method, '', fields.get('host') ?? '', path, query);
  }
  const absolute = absoluteUrl.exec(url);
  if (absolute === null) return rejected('The URL must be an absolute http or https one, or a path');
  const [, scheme = '', authority = '', path = '', query = ''] = absolute;
  return targetOf(method, scheme.toLowerCase() === 'https' ? '443' : '80', authority, path, query);
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

/** In lower case and without a port that goes without saying (RFC 9421, section 2.2.3; RFC 9110, section 4.2.3). */
function normalizeAuthority(authority: string, defaultPort: string): string {
  const lower = authority.toLowerCase();
  if (lower.endsWith(':')) return lower.slice(0, -1);
  return defaultPort !== '' && lower.endsWith(`:${defaultPort}`) ? lower.slice(0, -defaultPort.length - 1) : lower;
}
