/** The address of the verification port. Uses web standards only. */
export interface VerificationPortOptions {
  /** The URL of the verification port, including the path of a proxy, if any. Default: `http://127.0.0.1:4001`. */
  readonly url?: string | URL | undefined;
  /** One of the service's VERIFIER_TOKENS, sent as `Authorization: Bearer …` (RFC 6750, section 2.1). */
  readonly token?: string | undefined;
  /** Timeout of the whole verification in milliseconds. Default: 1000. */
  readonly timeoutMs?: number | undefined;
}

export interface VerificationPort {
  /** The URL of the endpoint. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** The origin of the URL, which error messages name. */
  readonly origin: string;
  readonly token: string;
  readonly timeoutMs: number;
}

/** @throws TypeError or RangeError for invalid options, without the token in the message */
export function verificationPortOf(
  { url = 'http://127.0.0.1:4001', token, timeoutMs = 1000 }: VerificationPortOptions,
  path = 'v1/verify',
): VerificationPort {
  if (!(timeoutMs > 0 && timeoutMs < 2 ** 31)) throw new RangeError('timeoutMs must be a positive number');
  const base = new URL(url);
  if (!/^https?:$/.test(base.protocol)) throw new TypeError('url must be an http or https one');
  if (base.username !== '' || base.password !== '') throw new TypeError('url must have no user name and no password');
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) throw new TypeError('token must be printable ASCII');
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  return {
    url: new URL(path, base),
    headers: token === undefined ? headers : { ...headers, authorization: `Bearer ${token}` },
    origin: base.origin,
    token: token ?? '',
    timeoutMs,
  };
}
