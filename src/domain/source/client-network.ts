import { type IpAddress, parseIpAddress } from './ip-address.ts';

/** A customer usually has an IPv6 /64, and must not avoid a limit by changing its address. */
const ipv6HostBits = 64n;

/** Returns the network that limits are counted by: an IPv4 address or an IPv6 /64. */
export function clientNetwork({ family, value }: IpAddress): string {
  return family === 4 ? `4 ${value}` : `6 ${value >> ipv6HostBits}`;
}

/** Returns the network of an address that may be missing or invalid; all of these count as one. */
export function networkOf(source: string | null | undefined): string {
  const address = parseIpAddress(source ?? '');
  return address === null ? 'unknown' : clientNetwork(address);
}
