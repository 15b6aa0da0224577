/** Suggests entries of an allow-list from the observed sources of a key. */
import { formatAllowedSource, parseAllowedSource } from '../../../domain/source/allowed-source.ts';
import { bitsOf, formatIpAddress, type IpAddress, parseIpAddress } from '../../../domain/source/ip-address.ts';
import { matchesLiterally } from '../../../domain/source/source-match.ts';
import type { ObservedSourcesQuery } from '../../generated/graphql.ts';

export type Source = ObservedSourcesQuery['observedSources'][number];

export interface Suggestion {
  /** An address, or the network of several observed addresses. */
  readonly entry: string;
  /** The number of observed addresses in it. */
  readonly addresses: number;
}

/** The networks that are usually assigned to one site. */
const siteBits = { 4: 24, 6: 64 } as const;

export function isAccepted({ counts }: Pick<Source, 'counts'>): boolean {
  return counts.some(({ code }) => code === 'VALID');
}

/**
 * Returns what the list lacks, the last observed first. Addresses that were only rejected are left out, because they may
 * belong to an attacker.
 */
export function suggestionsFor(sources: readonly Source[], list: readonly string[]): Suggestion[] {
  const listed = list.flatMap((entry) => {
    const parsed = parseAllowedSource(entry);
    return parsed.ok ? [parsed.value] : [];
  });
  const addresses = sources.filter(isAccepted).flatMap(({ address }) => parseIpAddress(address) ?? []);
  const sites = new Map<string, Set<string>>();
  for (const address of addresses) {
    if (matchesLiterally(listed, address)) continue;
    const site = siteOf(address);
    sites.set(site, (sites.get(site) ?? new Set()).add(formatIpAddress(address)));
  }
  return [...sites].map(([site, [first = site, ...others]]) => ({
    entry: others.length === 0 ? first : site,
    addresses: others.length + 1,
  }));
}

function siteOf({ family, value }: IpAddress): string {
  const hostBits = BigInt(bitsOf[family] - siteBits[family]);
  const network = { family, value: (value >> hostBits) << hostBits };
  return formatAllowedSource({ kind: 'network', network, prefixLength: siteBits[family] });
}
