import { parseForwardedAddress } from './forwarded-address.ts';
import type { IpAddress } from './ip-address.ts';

/** A customer usually has a whole IPv6 /64, and must not avoid a limit by changing the address. */
const ipv6HostBits = 64n;

/** Returns the network that limits apply to: an IPv4 address or an IPv6 /64. */
export function clientNetwork({ family, value }: IpAddress): string {
  return family === 4 ? `4 ${value}` : `6 ${value >> ipv6HostBits}`;
}

/**
 * Returns the network of an address; null without one. Nothing is counted for clients whose address is not known: with one
 * count for all of them, one client could lock out all others.
 */
export function networkOf(source: string | null | undefined): string | null {
  const address = parseForwardedAddress(source ?? '');
  return address === null ? null : clientNetwork(address);
}

/**
 * Returns the holder of a share of what is used at the same time. Clients without a known address have one share together,
 * so that they leave the rest to others. It is free again when their requests end.
 */
export function shareHolderOf(source: string | null | undefined): string {
  return networkOf(source) ?? 'unknown';
}
