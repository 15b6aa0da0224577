/** What a browser does with the cookies of one service, for tests that need no pages. */
import type { Answer } from './service.ts';

export class Browser {
  readonly cookies = new Map<string, string>();
  readonly #origin: string;
  /** Where requests go; another instance, or the service behind a proxy that ends TLS. */
  url: string;

  constructor(url: string, origin = url) {
    this.url = url;
    this.#origin = origin;
  }

  get cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** Sends a request as a script of the service's own page does. */
  async send(
    method: string,
    path: string,
    { headers = {}, body }: { readonly headers?: Record<string, string | null>; readonly body?: unknown } = {},
  ): Promise<Answer> {
    const all = {
      origin: this.#origin,
      'sec-fetch-site': 'same-origin',
      'latchkey-session': 'current',
      ...(this.cookies.size === 0 ? {} : { cookie: this.cookieHeader }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    };
    const response = await fetch(new URL(path, this.url), {
      method,
      headers: Object.entries(all).flatMap(([name, value]): [string, string][] =>
        value === null ? [] : [[name, value]],
      ),
      redirect: 'manual',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    this.keepCookies(response);
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  }

  keepCookies({ headers }: Response): void {
    for (const cookie of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (/Expires=Thu, 01 Jan 1970/.test(cookie)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}

/**
 * Signs in at the identity provider as a browser does: follows redirects there with the cookies of the provider. Returns
 * the URL of the callback, which the browser has not opened yet.
 */
export async function signInAtProvider(browser: Browser, provider: Browser, returnTo = '/'): Promise<URL> {
  const path = `/session/sign-in?return=${encodeURIComponent(returnTo)}`;
  const started = await browser.send('GET', path, { headers: navigation });
  let location = new URL(started.headers.get('location') ?? '', browser.url);
  for (let redirects = 0; location.origin === provider.url; redirects += 1) {
    if (redirects > 10) throw new Error('the provider does not stop redirecting');
    const answer = await provider.send('GET', location.href, { headers: navigation });
    location = new URL(answer.headers.get('location') ?? `http://status-${answer.status}.test`, location);
  }
  return location;
}

/** Opens the callback, to which the provider's page redirects. */
export async function openCallback(browser: Browser, { pathname, search }: URL): Promise<Answer> {
  return await browser.send('GET', pathname + search, { headers: { ...navigation, 'sec-fetch-site': 'cross-site' } });
}

export async function signInWith(browser: Browser, provider: Browser, returnTo = '/') {
  const callback = await signInAtProvider(browser, provider, returnTo);
  const answer = await openCallback(browser, callback);
  return { browser, callback, answer, location: answer.headers.get('location') };
}

/** The headers of a page that the user opened. */
export const navigation = { origin: null, 'sec-fetch-site': 'none', 'latchkey-session': null };
