/**
 * The addresses to which webhooks may be sent. Teams choose the URLs, so without these rules they could send requests to
 * the network in which Latchkey runs (server-side request forgery).
 */
import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';
import { type AllowedNetwork, parseAllowedSource } from '../source/allowed-source.ts';
import type { IpAddress } from '../source/ip-address.ts';
import { matchesLiterally } from '../source/source-match.ts';

/** Parses an entry of WEBHOOK_ALLOWED_NETWORKS: an address or a range, for which the other rules do not apply. */
export function parseAllowedNetwork(text: string): Parsed<AllowedNetwork> {
  const source = parseAllowedSource(text);
  if (!source.ok) return source;
  return source.value.kind === 'network'
    ? accepted(source.value)
    : rejected('must be an IP address or a CIDR range, such as 10.0.0.0/8');
}

/** IPv6 has allocated only this range as global unicast (RFC 4291, section 2.4; IANA's IPv6 address space). */
const globalUnicast = networks('2000::/3');

/**
 * IANA's special-purpose address registries (RFC 6890) as far as the range above does not exclude them, and multicast.
 * Also those of the blocks that are globally reachable, which are anycast services: a network may answer for them itself.
 */
const specialPurpose = networks(
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // What Azure offers to its machines. The other clouds use link-local, private or shared addresses.
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  // Multicast, reserved and broadcast.
  '224.0.0.0/3',
  // Teredo, benchmarking, AMT, AS112, ORCHID and other protocols.
  '2001::/23',
  '2001:db8::/32',
  // 6to4 addresses contain IPv4 addresses, which can be private.
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
);

/**
 * The first half of the interface identifier of ISATAP addresses, which contain IPv4 addresses as those of 6to4 do (RFC
 * 5214, section 6.1). The bit that says whether the identifier is globally unique can be 0 or 1.
 */
const isatapIdentifiers: readonly bigint[] = [0x0000_5efen, 0x0200_5efen];

function isIsatap({ family, value }: IpAddress): boolean {
  return family === 6 && isatapIdentifiers.includes((value >> 32n) & 0xffff_ffffn);
}

function networks(...texts: readonly string[]): readonly AllowedNetwork[] {
  return texts.map((text) => {
    const network = parseAllowedNetwork(text);
    if (!network.ok) throw new Error(`${text} ${network.problem}`);
    return network.value;
  });
}

/** Returns whether an address is public unicast. IPv4-mapped IPv6 addresses are parsed as their IPv4 address. */
export function isPublicAddress(address: IpAddress): boolean {
  if (address.family === 6 && !matchesLiterally(globalUnicast, address)) return false;
  return !isIsatap(address) && !matchesLiterally(specialPurpose, address);
}

export interface ReceiverPort {
  readonly isEncrypted: boolean;
  readonly port: number;
}

/** What is not allowed in a connection. */
export type ReceiverProblem = 'address' | 'port' | 'http';

/** Returns whether a port is one of HTTPS or of the applications of users, not of another system service. */
export function isPublicPort(port: number): boolean {
  return port === 443 || port > 1023;
}

/** Returns null if webhooks may be sent to this port of the address. */
export function receiverProblem(
  { isEncrypted, port }: ReceiverPort,
  address: IpAddress,
  allowedNetworks: readonly AllowedNetwork[],
): ReceiverProblem | null {
  if (matchesLiterally(allowedNetworks, address)) return null;
  if (!isPublicAddress(address)) return 'address';
  if (!isEncrypted) return 'http';
  return isPublicPort(port) ? null : 'port';
}
