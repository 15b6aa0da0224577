import { type KeyLocationText, parseKeyLocations } from '../domain/key-location.ts';
import { signerKey, signRequest } from './sign.ts';

type Fetch = typeof globalThis.fetch;

export interface SigningFetchOptions {
  /** The key's secret. */
  readonly apiKey: string;
  /**
   * Where the API expects the key: `authorization` (as `Authorization: Bearer …`), `header:<name>`, `basic` or
   * `basic:username` (as user name of HTTP Basic), or `basic:password`. Default: `authorization`.
   */
  readonly keyLocation?: KeyLocationText;
  /** The id of the key. */
  readonly keyId: string;
  /** 64 hexadecimal characters, returned when request signing was enabled or rotated. */
  readonly signingSecret: string;
  /** Sends the signed requests. Default: the global `fetch`. */
  readonly fetch?: Fetch;
  /** Returns the current time, for machines whose clock is known to be wrong. Default: the machine's clock. */
  readonly now?: () => Date;
}

/**
 * Returns a `fetch` that sends an API key and signs every request (see `signRequest`). Differences from `fetch`:
 *
 * - Bodies are held in memory: strings, buffers, URLSearchParams, Blobs, FormData, and bodies of Request objects. A
 *   stream is rejected with a TypeError, because the headers need its digest before its content is known.
 * - Redirects are not followed: a signature is for one target and one use, and the key must not reach other servers.
 *   By default, the 3xx answer is returned (`redirect: 'manual'`); `'error'` rejects; `'follow'` is a TypeError.
 * - The header with the key is replaced: by default `Authorization`.
 * - Of a Request object, only method, URL, headers, body, signal and `redirect: 'error'` are used.
 *
 * @throws TypeError for invalid options. As rejections: what `signRequest` throws, and what `fetch` rejects with
 */
export function signingFetch(options: SigningFetchOptions): Fetch {
  checkOptions(options);
  const { keyId, signingSecret, now = () => new Date() } = options;
  const keyHeader = keyHeaderOf(options);
  return async (input, init) => {
    if (init?.redirect === 'follow') throw new TypeError('A signed request must not follow redirects');
    rejectStream(init?.body);
    const redirect = init?.redirect ?? (input instanceof Request && input.redirect === 'error' ? 'error' : 'manual');
    // Before signing, Request computes the multipart boundary, the content type and the case of the method.
    const request = new Request(input, { ...init, redirect });
    const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer());
    const headers = new Headers(request.headers);
    headers.set(keyHeader.name, keyHeader.value);
    const signed = signRequest(
      {
        method: request.method,
        url: request.url,
        headers: Object.fromEntries(headers),
        ...(body === undefined ? {} : { body }),
      },
      { keyId, signingSecret, now: now() },
    );
    for (const [name, value] of Object.entries(signed)) headers.set(name, value);
    // Not request.signal: its reference to the caller's signal is weak, so garbage collection can disconnect it.
    const signal = init?.signal ?? (input instanceof Request ? input.signal : null);
    const send = options.fetch ?? globalThis.fetch;
    return send(request.url, { ...init, method: request.method, headers, body: body ?? null, redirect, signal });
  };
}

/** Messages contain no values, because a value may be a secret in the wrong field. */
function checkOptions({ apiKey, keyId, signingSecret, fetch, now }: SigningFetchOptions): void {
  if (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new TypeError('apiKey must be the secret of a key: visible ASCII characters');
  }
  signerKey({ keyId, signingSecret });
  if (apiKey.startsWith(keyId)) throw new TypeError('keyId must be the id of the key, not its secret or prefix');
  if (fetch !== undefined && typeof fetch !== 'function') throw new TypeError('fetch must be a function');
  if (now !== undefined && typeof now !== 'function') throw new TypeError('now must be a function');
}

/** Returns the header that presents the key. */
function keyHeaderOf({ apiKey, keyLocation = 'authorization' }: SigningFetchOptions) {
  const parsed = parseKeyLocations(String(keyLocation));
  const [location, ...others] = parsed.ok ? parsed.value.list : [];
  if (location === undefined || others.length > 0) {
    throw new TypeError('keyLocation must be authorization, header:<name>, basic, basic:username or basic:password');
  }
  const value = location.valueFor(apiKey);
  if (value === null) throw new TypeError('apiKey has a colon, so it cannot be a user name of HTTP Basic');
  return { name: location.header, value };
}

function rejectStream(body: unknown): void {
  const known =
    body === undefined ||
    body === null ||
    typeof body === 'string' ||
    body instanceof ArrayBuffer ||
    ArrayBuffer.isView(body) ||
    body instanceof URLSearchParams ||
    body instanceof Blob ||
    body instanceof FormData;
  if (!known)
    throw new TypeError('The body of a signed request must be in memory: the digest of a stream is not known');
}
