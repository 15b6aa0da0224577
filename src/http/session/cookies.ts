/** Cookies that are only for the service: not for scripts, other hosts, other ports of loopback, or other sites. */
import type { CookieOptions, Request, Response } from 'express';
import { limits } from '../../domain/limits.ts';

/** Browsers limit a cookie to 4096 bytes with its name and attributes. */
const partCharacters = 3800;
const maxParts = Math.ceil(limits.sessionTokenCharacters / partCharacters);

/** Returns the name of a cookie. `__Host-` makes browsers reject one that another host or plain HTTP sets (RFC 6265bis). */
export function cookieName(name: string, { protocol, port }: URL): string {
  // Cookies are shared between all ports of a host.
  const suffix = port === '' ? '' : `-${port}`;
  return `${protocol === 'https:' ? '__Host-' : ''}latchkey-${name}${suffix}`;
}

function attributes({ protocol }: URL): CookieOptions {
  return { httpOnly: true, secure: protocol === 'https:', sameSite: 'lax', path: '/' };
}

/**
 * Returns the value of a cookie that `setCookie` wrote, of which parts may be missing; undefined if there is none. Null if
 * a name is repeated: another host or path has set one of them, and a request does not say which.
 */
export function readCookie({ headers: { cookie = '' } }: Request, name: string): string | null | undefined {
  const cookies = cookiesWith(name, cookie);
  const valuesOf = (wanted: string) => cookies.flatMap(([sent, value]) => (sent === wanted ? [value] : []));
  const [first, ...others] = valuesOf(name);
  if (first === undefined) return undefined;
  const [, count = '1', value = ''] = /^([1-9])\.(.*)$/.exec(first) ?? [];
  const rest = partNames(name, Number(count)).map(valuesOf);
  if (others.length > 0 || rest.some(({ length }) => length > 1)) return null;
  return [value, ...rest.flat()].join('');
}

/** Returns the names of the cookies with a name of this pattern, without their parts, in the order of the request. */
export function cookieNames({ headers: { cookie = '' } }: Request, pattern: string, own: URL): string[] {
  const name = RegExp(`^${cookieName(pattern, own)}$`);
  return [...new Set(cookiesWith('latchkey-', cookie).map(([sent]) => sent))].filter((sent) => name.test(sent));
}

/** Returns the cookies whose name can begin with this one. The others are not split: a request can have 16,000. */
function cookiesWith(name: string, cookie: string): [string, string][] {
  return cookie.includes(name)
    ? cookie.split(';').flatMap((pair) => (pair.includes(name) ? [splitCookie(pair)] : []))
    : [];
}

function splitCookie(pair: string): [string, string] {
  const end = pair.indexOf('=');
  return end < 0 ? ['', trimBlanks(pair)] : [trimBlanks(pair.slice(0, end)), trimBlanks(pair.slice(end + 1))];
}

/**
 * Removes space and tab, as RFC 6265bis says. `trim` would also remove U+00A0 and others: a host of the same domain may
 * set a cookie whose name is that character and ours, because it has no `__Host-` at the beginning.
 */
function trimBlanks(text: string): string {
  const isBlank = (character: string | undefined) => character === ' ' || character === '\t';
  let [start, end] = [0, text.length];
  while (isBlank(text[start])) start += 1;
  while (end > start && isBlank(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

/**
 * Writes a value of at most `limits.sessionTokenCharacters`, in several cookies if one is too short, and removes other
 * parts of an earlier value. It ends with the browser, or after `maxAge` milliseconds.
 */
export function setCookie(response: Response, name: string, value: string, own: URL, maxAge?: number): void {
  const options = { ...attributes(own), ...(maxAge === undefined ? {} : { maxAge }) };
  const count = Math.ceil(value.length / partCharacters);
  [name, ...partNames(name, maxParts)].forEach((partName, i) => {
    const part = value.slice(i * partCharacters, (i + 1) * partCharacters);
    if (i < count) response.cookie(partName, i === 0 ? `${count}.${part}` : part, options);
    else if (hasCookie(response.req, partName)) response.clearCookie(partName, attributes(own));
  });
}

export function removeCookie(response: Response, name: string, own: URL): void {
  for (const partName of [name, ...partNames(name, maxParts)]) {
    if (hasCookie(response.req, partName)) response.clearCookie(partName, attributes(own));
  }
}

/** Returns whether the browser sends a cookie of this name, once or repeated. */
export function hasCookie({ headers: { cookie = '' } }: Request, name: string): boolean {
  return cookiesWith(name, cookie).some(([sent]) => sent === name);
}

function partNames(name: string, count: number): string[] {
  return Array.from({ length: Math.min(count, maxParts) - 1 }, (_, i) => `${name}.${i + 1}`);
}
