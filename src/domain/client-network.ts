import type { IpAddress } from './ip-address.ts';

/** What one customer of an IPv6 network usually has, so that no caller escapes a limit by changing addresses in it. */
const ipv6HostBits = 64n;

/** What a limit per address counts under: an IPv4 address or an IPv6 /64. */
export function clientNetwork({ family, value }: IpAddress): string {
  return family === 4 ? `4 ${value}` : `6 ${value >> ipv6HostBits}`;
}
