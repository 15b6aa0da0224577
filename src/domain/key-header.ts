/** The names of headers that can contain a key. Uses only web standards, because @latchkey/client contains this file. */
import type { FieldError } from './errors.ts';

const nameShape = /^[a-z][a-z0-9_-]{0,63}$/;

/**
 * The headers that HTTP, browsers, proxies and this service use otherwise. Connection control and framing (RFC 9110,
 * section 7.6.1), routing, and headers that servers log or that gateways set. A key in them would not arrive, or would
 * be shown.
 */
const reservedNames: ReadonlySet<string> = new Set([
  ...['connection', 'cookie', 'cookie2', 'date', 'expect', 'forwarded', 'from', 'host', 'http2-settings', 'keep-alive'],
  ...['max-forwards', 'origin', 'pragma', 'priority', 'range', 'referer', 'set-cookie', 'signature', 'signature-input'],
  ...['te', 'traceparent', 'tracestate', 'trailer', 'transfer-encoding', 'upgrade', 'user-agent', 'via', 'warning'],
  ...['www-authenticate', 'cache-control', 'x-real-ip', 'x-request-id'],
  ...['b3', 'baggage', 'cf-connecting-ip', 'proxy', 'true-client-ip', 'x-amzn-trace-id', 'x-client-ip'],
  ...['x-correlation-id', 'x-http-method-override'],
]);

const reservedPrefixes =
  /^(?:accept|access-control-|content-|grpc-|if-|proxy-|ratelimit|sec-|x-envoy-|x-forwarded-|x-latchkey-|x-original-)/;

/** Returns whether a name in lower case can be the name of the header with the key. */
export function canContainKey(name: string): boolean {
  const hyphenated = withHyphens(name);
  return nameShape.test(name) && !reservedNames.has(hyphenated) && !reservedPrefixes.test(hyphenated);
}

/** CGI, WSGI and PHP read `X_API_Key` and `X-API-Key` as the same variable, so both names are one header. */
export function withHyphens(name: string): string {
  return name.replaceAll('_', '-');
}

/**
 * Returns an error if one of the `names` (in lower case) occurs twice, as with `Authorization`, or in a form that only
 * some servers read as the same name: a gateway or the API may have read the other occurrence. Otherwise null.
 */
export function keyHeaderError(rawHeaders: readonly string[], names: readonly string[]): FieldError | null {
  for (const name of names) {
    let isPresent = false;
    for (let i = 0; i < rawHeaders.length; i += 2) {
      const other = rawHeaders[i];
      if (other?.length !== name.length) continue;
      const lowerCase = other.toLowerCase();
      if (lowerCase === name) {
        if (isPresent) return { field: name, message: 'must be given once' };
        isPresent = true;
      } else if (withHyphens(lowerCase) === withHyphens(name)) {
        return { field: name, message: 'must be written with these hyphens and underscores' };
      }
    }
  }
  return null;
}
