import { isIPv4, isIPv6 } from 'node:net';

export interface IpAddress {
  readonly family: 4 | 6;
  readonly value: bigint;
}

export const bitsOf = { 4: 32, 6: 128 } as const;

/** Where IPv6 holds the IPv4 addresses: ::ffff:a.b.c.d (RFC 4291, section 2.5.5.2). */
const mappedPrefix = 0xffffn;

/**
 * A textual address as a number. Only what `node:net` accepts: a leading zero (`010.0.0.1` is 8.0.0.1 to some parsers
 * and 10.0.0.1 to others) or a zone (`fe80::1%eth0` means something on one machine only) is no address here.
 * IPv4-mapped IPv6 addresses come back as the IPv4 addresses they are, so that one rule covers both spellings.
 *
 * ipaddr.js is not used. It accepts `::ffff:010.0.0.1`, `::00001` and `1:2:3:4:5:6:7:8::`, so `node:net` would have to
 * check first all the same. It would replace 16 lines by 7, and parsing, which every verification with a source does,
 * would take about five times as long for IPv4 and twice as long for IPv6.
 */
export function parseIpAddress(text: string): IpAddress | null {
  if (isIPv4(text)) return { family: 4, value: ipv4Value(text) };
  if (text.includes('%') || !isIPv6(text)) return null;
  const value = ipv6Value(text);
  return value >> 32n === mappedPrefix ? { family: 4, value: value & 0xffff_ffffn } : { family: 6, value };
}

/** What is said of a text that `parseIpAddress` does not take. */
export const ipAddressExpected = 'must be one IPv4 or IPv6 address, without a port, a zone or leading zeros';

export function isSameAddress(a: IpAddress, b: IpAddress): boolean {
  return a.family === b.family && a.value === b.value;
}

export function formatIpAddress({ family, value }: IpAddress): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.');
  const groups = Array.from({ length: 8 }, (_, i) => ((value >> BigInt(112 - 16 * i)) & 0xffffn).toString(16));
  // The URL parser writes the compressed form of RFC 5952.
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

function ipv4Value(text: string): bigint {
  return text.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

function ipv6Value(text: string): bigint {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  if (dotted !== null) {
    const ipv4 = ipv4Value(dotted[2] ?? '');
    return ipv6Value(`${dotted[1]}${(ipv4 >> 16n).toString(16)}:${(ipv4 & 0xffffn).toString(16)}`);
  }
  const [head = '', tail = ''] = text.split('::');
  const left = head.split(':').filter((group) => group !== '');
  const right = tail.split(':').filter((group) => group !== '');
  const zeros = Array<string>(8 - left.length - right.length).fill('0');
  return [...left, ...zeros, ...right].reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}
