import { type AllowedSource, parseAllowedSource } from './allowed-source.ts';
import { type IpAddress, isSameAddress } from './ip-address.ts';
import { hostsOf, matchesLiterally } from './source-match.ts';

export interface ResolvedHost {
  readonly host: string;
  /** The addresses are not returned: a team could otherwise resolve names of the service's internal network. */
  readonly hasAddresses: boolean;
}

/** Whether an allow-list allows a source, and why. */
export type SourceStanding =
  | { readonly kind: 'unrestricted' }
  | { readonly kind: 'unknown' }
  /** `entry`: the first entry that allows the source, as it was written. */
  | { readonly kind: 'listed'; readonly source: IpAddress; readonly entry: string }
  | { readonly kind: 'unlisted'; readonly source: IpAddress; readonly hosts: readonly ResolvedHost[] };

interface Entry {
  readonly written: string;
  readonly sources: readonly AllowedSource[];
}

/** Works like a verification: host names are resolved only if no address or range matches. */
export async function sourceStanding(
  allowedIps: readonly string[],
  source: IpAddress | undefined,
  addressesOf: (host: string) => Promise<readonly IpAddress[]>,
): Promise<SourceStanding> {
  if (allowedIps.length === 0) return { kind: 'unrestricted' };
  if (source === undefined) return { kind: 'unknown' };
  const entries = allowedIps.map(entryOf);
  const literal = entries.find(({ sources }) => matchesLiterally(sources, source));
  if (literal !== undefined) return { kind: 'listed', source, entry: literal.written };
  const hosts = await Promise.all(
    hostsOf(entries.flatMap(({ sources }) => sources)).map(async (host) => {
      const addresses = await addressesOf(host);
      const matches = addresses.some((address) => isSameAddress(address, source));
      return { host, hasAddresses: addresses.length > 0, matches };
    }),
  );
  const match = hosts.find(({ matches }) => matches);
  const named = entries.find(({ sources }) => match !== undefined && hostsOf(sources).includes(match.host));
  if (named !== undefined) return { kind: 'listed', source, entry: named.written };
  return { kind: 'unlisted', source, hosts: hosts.map(({ host, hasAddresses }) => ({ host, hasAddresses })) };
}

/** Only valid entries are stored. If one is invalid nevertheless, it allows nothing. */
function entryOf(written: string): Entry {
  const source = parseAllowedSource(written);
  return { written, sources: source.ok ? [source.value] : [] };
}
