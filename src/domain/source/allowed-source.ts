import { domainToASCII } from 'node:url';
import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';
import { limits } from '../limits.ts';
import { hasControlCharacters, problemOfText } from '../text.ts';
import { bitsOf, formatIpAddress, type IpAddress, parseIpAddress } from './ip-address.ts';

/** One entry of a key's allow-list. An address is a network with the maximum prefix length. */
export type AllowedSource = AllowedNetwork | { readonly kind: 'host'; readonly host: string };

export interface AllowedNetwork {
  readonly kind: 'network';
  readonly network: IpAddress;
  readonly prefixLength: number;
}

/** Parses one IP address, CIDR range or host name, optionally followed by `# a comment`. */
export function parseAllowedSource(entry: string): Parsed<AllowedSource> {
  if ([...entry].length > limits.allowedSourceCharacters) {
    return rejected(`must have at most ${limits.allowedSourceCharacters} characters`);
  }
  if (hasControlCharacters(entry)) return rejected('must have no control characters');
  const value = (entry.split('#', 1)[0] ?? '').trim();
  if (value === '') return rejected('must be an IP address, a CIDR range or a host name');
  if (value.includes('%')) return rejected('must have no zone id: it means something on one machine only');
  if (value.includes('/')) return parseRange(value);
  const address = parseIpAddress(value);
  if (address !== null) return accepted({ kind: 'network', network: address, prefixLength: bitsOf[address.family] });
  return parseHost(value);
}

/** Names that machines have in /etc/hosts: those of RFC 6761, section 6.3, and of Linux distributions and macOS. */
const localName = /^(?:(?:.+\.)?localhost|localhost[46]?(?:\.localdomain[46]?)?|ip6-[a-z]+|broadcasthost)$/;

/**
 * Parses an entry of a new list. The comment of a stored one may have what people can't see. Rejects names of /etc/hosts,
 * which the DNS client does not read, so that they would never match. Lists that have them already go on working, because
 * a few DNS servers know `localhost`.
 */
export function parseNewSource(entry: string): Parsed<AllowedSource> {
  const parsed = parseAllowedSource(entry);
  if (!parsed.ok) return parsed;
  const problem = problemOfText(entry);
  if (problem !== null) return rejected(problem);
  if (parsed.value.kind !== 'host' || !localName.test(parsed.value.host)) return parsed;
  return rejected(
    'must be a name that DNS servers know: /etc/hosts is not read, so write the addresses, such as 127.0.0.1 and ::1',
  );
}

/**
 * Returns the entries without white space around them, and with one entry for each source: the first one with a comment,
 * or else the first one. `sources` has the parsed entries.
 */
export function distinctEntries(entries: readonly string[], sources: readonly AllowedSource[]): readonly string[] {
  const firsts = new Map<string, string>();
  for (const [i, source] of sources.entries()) {
    const name = formatAllowedSource(source);
    const entry = (entries[i] ?? '').trim();
    const first = firsts.get(name);
    if (first === undefined || (entry.includes('#') && !first.includes('#'))) firsts.set(name, entry);
  }
  return [...firsts.values()];
}

/** Returns an entry that `parseAllowedSource` reads as this source. */
export function formatAllowedSource(source: AllowedSource): string {
  return source.kind === 'host' ? source.host : `${formatIpAddress(source.network)}/${source.prefixLength}`;
}

function parseRange(text: string): Parsed<AllowedSource> {
  const [base = '', length = '', ...more] = text.split('/');
  const address = parseIpAddress(base);
  if (address === null || more.length > 0 || !/^(0|[1-9]\d{0,2})$/.test(length)) {
    return rejected(
      'must be an address and a prefix length, such as 10.0.0.0/8 or 2001:db8::/32, without leading zeros',
    );
  }
  const written = Number(length);
  const writtenBits = base.includes(':') ? 128 : 32;
  if (written > writtenBits) return rejected(`must have a prefix length of at most ${writtenBits}`);
  // ::ffff:10.0.0.0/104 is 10.0.0.0/8. A prefix shorter than 96 would cover IPv6 addresses too.
  const prefixLength = written - (writtenBits - bitsOf[address.family]);
  if (prefixLength < 0) return rejected('must have a prefix length of at least 96 for an IPv4-mapped address');
  const hostBits = BigInt(bitsOf[address.family] - prefixLength);
  const network: IpAddress = { family: address.family, value: (address.value >> hostBits) << hostBits };
  if (network.value !== address.value) {
    return rejected(
      `must have no bits set behind the prefix: the network is ${formatIpAddress(network)}/${prefixLength}`,
    );
  }
  return accepted({ kind: 'network', network, prefixLength });
}

/** Parses a host name (RFC 1123, section 2.1). */
function parseHost(text: string): Parsed<AllowedSource> {
  if (text.includes('*')) return rejected('must be a full host name: wildcards are not understood');
  const host = text.toLowerCase().replace(/\.$/, '');
  // Checks the original text, because lower-casing turns some characters, such as the Kelvin sign, into ASCII letters.
  if (/[^\x21-\x7e]/.test(text)) {
    const ascii = domainToASCII(host);
    // Suggests only valid host names, because `domainToASCII` turns full-width ０１０.0.0.1 into 8.0.0.1.
    return rejected(parseHost(ascii).ok ? `must be written in ASCII: ${ascii}` : notAHost);
  }
  const labels = host.split('.');
  const isHost = host.length <= 253 && labels.every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(label));
  if (/^[^:]+:\d+$/.test(host)) return rejected('must have no port');
  if (host.includes(':')) return rejected('is not a valid IPv6 address');
  // No top-level domain is a number (RFC 3696, section 2), so the text is a malformed address, such as 010.0.0.1.
  if (/^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '')) {
    return rejected('is not a valid IPv4 address: four numbers from 0 to 255, without leading zeros');
  }
  return isHost ? accepted({ kind: 'host', host }) : rejected(notAHost);
}

const notAHost =
  'must be an IP address, a CIDR range or a host name: labels of letters, digits and inner hyphens, 1 to 63 each';
