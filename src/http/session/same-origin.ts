/** Where the browser reached the service, and proof that a request comes from a page of the service. */
import type { Request } from 'express';
import { LatchkeyError } from '../../domain/errors.ts';

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Returns the origin of the service as the browser sees it: PUBLIC_URL, or without it what the request says. A proxy can
 * have ended TLS, which then only `Origin` shows. A host that is not loopback needs https, so http is never assumed there.
 */
export function ownOrigin(request: Request, publicUrl: URL | null): URL {
  if (publicUrl !== null) return publicUrl;
  const { protocol, headers, host = 'localhost' } = request;
  const own = URL.parse(`${protocol}://${host}`) ?? new URL('http://localhost');
  const isHttps = !loopback.test(own.hostname) || headers.origin === `https://${host}`;
  return isHttps ? new URL(`https://${own.host}`) : own;
}

/** Throws UNAUTHENTICATED if the browser says that another site, or another port of this host, sent the request. */
export function checkSameOrigin({ headers }: Request, own: URL): void {
  const { origin = own.origin, 'sec-fetch-site': site = 'same-origin' } = headers;
  if (origin === own.origin && site === 'same-origin') return;
  throw new LatchkeyError('UNAUTHENTICATED', `Sessions of browsers are for pages of ${own.origin} only.`);
}
