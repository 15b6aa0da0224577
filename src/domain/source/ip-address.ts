export interface IpAddress {
  readonly family: 4 | 6;
  readonly value: bigint;
}

export const bitsOf = { 4: 32, 6: 128 } as const;

/** The prefix of IPv4-mapped IPv6 addresses, ::ffff:a.b.c.d (RFC 4291, section 2.5.5.2). */
const mappedPrefix = 0xffffn;
const mappedText = '::ffff:';

/**
 * Accepts the same texts as `node:net`, except addresses with a zone, which has a meaning on one machine only. Rejects
 * leading zeros, because some parsers read `010.0.0.1` as 8.0.0.1. Returns an IPv4-mapped IPv6 address as its IPv4
 * address, so that one rule covers both forms. Does not use `node:net`, because the middleware also runs elsewhere.
 * ipaddr.js is slower, and accepts texts such as `::ffff:010.0.0.1`.
 */
export function parseIpAddress(text: string): IpAddress | null {
  // A server that listens on `::` gets IPv4 addresses in the mapped form.
  const ipv4 = parseIpv4(text.startsWith(mappedText) ? text.slice(mappedText.length) : text);
  if (ipv4 !== null) return { family: 4, value: BigInt(ipv4) };
  const ipv6 = parseIpv6(text);
  return ipv6 === null ? null : addressOf(ipv6);
}

export const ipAddressExpected = 'must be one IPv4 or IPv6 address, without a port, a zone or leading zeros';

/** Returns a number that only this address has: an IPv4 address has that of its IPv4-mapped IPv6 address. */
export function numberOf({ family, value }: IpAddress): bigint {
  return family === 4 ? (mappedPrefix << 32n) | value : value;
}

/** Returns the address with this number. */
export function addressOf(number: bigint): IpAddress {
  return number >> 32n === mappedPrefix ? { family: 4, value: number & 0xffff_ffffn } : { family: 6, value: number };
}

export function formatIpAddress({ family, value }: IpAddress): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.');
  const groups = Array.from({ length: 8 }, (_, i) => ((value >> BigInt(112 - 16 * i)) & 0xffffn).toString(16));
  // The URL parser writes the compressed form of RFC 5952.
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

const [zero, dot] = [0x30, 0x2e];

/** Parses `a.b.c.d` without leading zeros. A regular expression and `split` would take ten times as long. */
function parseIpv4(text: string): number | null {
  let value = 0;
  let parts = 1;
  let part: number | null = null;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === dot) {
      if (part === null || parts === 4) return null;
      value = value * 256 + part;
      parts += 1;
      part = null;
      continue;
    }
    const digit = code - zero;
    if (digit < 0 || digit > 9 || part === 0) return null;
    part = (part ?? 0) * 10 + digit;
    if (part > 255) return null;
  }
  return part === null || parts < 4 ? null : value * 256 + part;
}

const maxIpv6Characters = 45;

/** Parses the texts of RFC 4291, section 2.2. */
function parseIpv6(text: string): bigint | null {
  if (text.length > maxIpv6Characters || !text.includes(':')) return null;
  const ipv4Start = text.lastIndexOf(':') + 1;
  if (text.includes('.', ipv4Start)) {
    const ipv4 = parseIpv4(text.slice(ipv4Start));
    if (ipv4 === null) return null;
    return parseIpv6(`${text.slice(0, ipv4Start)}${(ipv4 >>> 16).toString(16)}:${(ipv4 & 0xffff).toString(16)}`);
  }
  const [left = [], right, ...more] = text.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const written = left.length + (right?.length ?? 0);
  if (more.length > 0 || (right === undefined ? written !== 8 : written > 7)) return null;
  const groups = [...left, ...Array<string>(8 - written).fill('0'), ...(right ?? [])];
  if (!groups.every((group) => /^[\da-f]{1,4}$/i.test(group))) return null;
  return groups.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}
