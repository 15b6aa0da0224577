import type { AllowedSource } from './allowed-source.ts';
import { bitsOf, type IpAddress } from './ip-address.ts';

/**
 * Returns whether one of the networks contains the address. Ignores host names: see `hostsOf`.
 *
 * `net.BlockList` is not used. The entries are already parsed, and each cached key would need one list per address
 * family, at more than 1 KB each outside the heap (Node 20: 1.1 KB with one range). Its check takes the address as
 * text and about 1 µs; two shifts take a twentieth of that.
 */
export function matchesLiterally(sources: readonly AllowedSource[], address: IpAddress): boolean {
  return sources.some((source) => {
    if (source.kind !== 'network') return false;
    const { network, prefixLength } = source;
    // Addresses of both families are plain numbers: without this check, ::/0 would match every IPv4 address.
    if (network.family !== address.family) return false;
    const hostBits = BigInt(bitsOf[network.family] - prefixLength);
    return network.value >> hostBits === address.value >> hostBits;
  });
}

/** The host names among the sources, each once, in the order written. */
export function hostsOf(sources: readonly AllowedSource[]): readonly string[] {
  return [...new Set(sources.flatMap((source) => (source.kind === 'host' ? [source.host] : [])))];
}
