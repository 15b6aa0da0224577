import { type IpAddress, parseIpAddress } from './ip-address.ts';

/** A customer usually has a whole IPv6 /64, and must not avoid a limit by changing the address. */
const ipv6HostBits = 64n;

/** Returns the network that limits apply to: an IPv4 address or an IPv6 /64. */
export function clientNetwork({ family, value }: IpAddress): string {
  return family === 4 ? `4 ${value}` : `6 ${value >> ipv6HostBits}`;
}

/** Returns the network of an address. All missing and invalid addresses count as one network. */
export function networkOf(source: string | null | undefined): string {
  const address = parseIpAddress(source ?? '');
  return address === null ? 'unknown' : clientNetwork(address);
}
