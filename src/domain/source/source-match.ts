import { limits } from '../limits.ts';
import { type AllowedSource, parseAllowedSource } from './allowed-source.ts';
import { bitsOf, formatIpAddress, type IpAddress, numberOf } from './ip-address.ts';

/**
 * Returns whether one of the networks contains the address. Ignores host names (see `hostsOf`). A `net.BlockList` would
 * use 1 kB for each cached key and address family, and take twenty times as long.
 */
export function matchesLiterally(sources: readonly AllowedSource[], address: IpAddress): boolean {
  return sources.some((source) => {
    if (source.kind !== 'network') return false;
    const { network, prefixLength } = source;
    // Both families are compared as numbers, so without this check ::/0 would match every IPv4 address.
    if (network.family !== address.family) return false;
    const hostBits = BigInt(bitsOf[network.family] - prefixLength);
    return network.value >> hostBits === address.value >> hostBits;
  });
}

export function hostsOf(sources: readonly AllowedSource[]): readonly string[] {
  return [...new Set(sources.flatMap((source) => (source.kind === 'host' ? [source.host] : [])))];
}

/** Returns the problem of a new list with too many host names. Lists from before this limit go on working. */
export function hostsProblem(sources: readonly AllowedSource[]): string | null {
  const count = hostsOf(sources).length;
  if (count <= limits.allowedHosts) return null;
  return `must have at most ${limits.allowedHosts} host names, and has ${count}: use addresses or ranges for the others`;
}

/** A host name with more addresses has none, so that no name server decides how much work a name causes. */
export const maxHostAddresses = 64;

/** The addresses of a host name. */
export interface HostAddresses {
  /** The numbers of the addresses (see `numberOf`): a set, so that no verification compares them one by one. */
  readonly addresses: ReadonlySet<bigint>;
  /** Whether there are none because the name has more than `maxHostAddresses`. */
  readonly tooMany: boolean;
}

export interface ResolvedHost {
  readonly host: string;
  /** Addresses are not returned: with them, a team could resolve names of the service's internal network. */
  readonly found: 'none' | 'others' | 'too many';
}

/** Whether an allow-list allows a source, and why. */
export type SourceMatch =
  | { readonly kind: 'unrestricted' }
  | { readonly kind: 'unknown' }
  /** `entry` is the first entry that allows the source, as written. */
  | { readonly kind: 'listed'; readonly address: string; readonly entry: string }
  | { readonly kind: 'unlisted'; readonly address: string; readonly hosts: readonly ResolvedHost[] };

interface Entry {
  readonly written: string;
  readonly sources: readonly AllowedSource[];
}

/** Matches like a verification: resolves host names only if no address or range matches. */
export async function matchSource(
  allowedIps: readonly string[],
  source: IpAddress | undefined,
  resolve: (host: string) => Promise<HostAddresses>,
): Promise<SourceMatch> {
  if (allowedIps.length === 0) return { kind: 'unrestricted' };
  if (source === undefined) return { kind: 'unknown' };
  const address = formatIpAddress(source);
  const entries = allowedIps.map(entryOf);
  const literal = entries.find(({ sources }) => matchesLiterally(sources, source));
  if (literal !== undefined) return { kind: 'listed', address, entry: literal.written };
  const hosts = await Promise.all(
    hostsOf(entries.flatMap(({ sources }) => sources)).map(async (host) => {
      const { addresses, tooMany } = await resolve(host);
      const found: ResolvedHost['found'] = tooMany ? 'too many' : addresses.size > 0 ? 'others' : 'none';
      return { host, found, matches: addresses.has(numberOf(source)) };
    }),
  );
  const match = hosts.find(({ matches }) => matches);
  const named = entries.find(({ sources }) => match !== undefined && hostsOf(sources).includes(match.host));
  if (named !== undefined) return { kind: 'listed', address, entry: named.written };
  return { kind: 'unlisted', address, hosts: hosts.map(({ host, found }) => ({ host, found })) };
}

/** Parses a stored entry. Stored entries are valid; an invalid one would allow nothing. */
function entryOf(written: string): Entry {
  const source = parseAllowedSource(written);
  return { written, sources: source.ok ? [source.value] : [] };
}
