/**
 * Addresses as proxies report them: in `X-Forwarded-For` and similar header fields, and in elements of `Forwarded` (RFC
 * 7239). Some proxies add a port, brackets or a zone. A text that is not an address, such as `unknown`, is null, so
 * that no text of a client gets into a log. clients/conformance/sources.json has the vectors, also for the clients in
 * Python and Go.
 */
import { formatIpAddress, type IpAddress, parseIpAddress } from './ip-address.ts';

/** More than an element of `Forwarded` with all parameters of RFC 7239 has. */
const maxCharacters = 512;

/** Parses one address. The plain address comes first, because verifications parse one each. */
export function parseForwardedAddress(text: string): IpAddress | null {
  const plain = parseIpAddress(text);
  if (plain !== null || text.length > maxCharacters) return plain;
  const node = trimmed(text);
  return parseNode(node.includes('=') ? (clientOf(node) ?? '') : unquoted(node));
}

function trimmed(text: string): string {
  return text.replace(/^[ \t]+|[ \t]+$/g, '');
}

/** Returns the address in its usual form, for a log or an audit entry. */
export function plainAddress(text: string | undefined): string | null {
  const address = parseForwardedAddress(text ?? '');
  return address === null ? null : formatIpAddress(address);
}

/** Room for 40 addresses. */
const maxListCharacters = 2000;

/**
 * Returns a list of addresses in the only form that Express, Fastify and other frameworks understand, so that they find
 * the client behind trusted proxies. A text that is not an address becomes `unknown`: frameworks would read `167772161`
 * as 10.0.0.1, and trust it. Leaves out the oldest entries of a long list: they come from the client, and proxies add
 * theirs at the end.
 */
export function plainAddresses(list: string): string {
  return list
    .slice(startOfRecent(list))
    .split(',')
    .map((element) => {
      const text = trimmed(element);
      return text === '' || parseIpAddress(text) !== null ? text : (plainAddress(text) ?? 'unknown');
    })
    .join(', ');
}

function startOfRecent(list: string): number {
  if (list.length <= maxListCharacters) return 0;
  const comma = list.indexOf(',', list.length - maxListCharacters);
  return (comma === -1 ? list.lastIndexOf(',') : comma) + 1;
}

/**
 * Returns the parameter `for` of an element of `Forwarded`; null if there is not exactly one. An element in which another
 * part is malformed is rejected: it can be the end of a quoted text with a comma, which a client has chosen.
 */
function clientOf(element: string): string | null {
  const pairs = element.split(';').map((pair) => /^[ \t]*([\w-]+)=("[^"\\]*"|[^\s",\\]+)[ \t]*$/.exec(pair));
  if (pairs.includes(null)) return null;
  const [client, ...more] = pairs.filter((pair) => pair?.[1]?.toLowerCase() === 'for');
  return client?.[2] === undefined || more.length > 0 ? null : unquoted(client[2]);
}

function unquoted(text: string): string {
  return /^"([^"\\]*)"$/.exec(text)?.[1] ?? text;
}

/** Parses a node name (RFC 7239, section 6), also an IPv6 address without brackets, and one with a zone. */
function parseNode(text: string): IpAddress | null {
  const [, ipv6, ipv4] = /^(?:\[([^[\]]*)\]|([\d.]+))(?::(?:\d{1,5}|_[\w.-]+))?$/.exec(text) ?? [];
  if (ipv4 !== undefined) return parseIpAddress(ipv4);
  const address = (ipv6 ?? text).replace(/%[\w.~-]+$/, '');
  return address.includes(':') ? parseIpAddress(address) : null;
}
