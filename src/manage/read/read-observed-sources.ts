import { settings } from '../../domain/key/settings.ts';
import { parseFields } from '../../domain/parse-fields.ts';
import { type AllowedSource, parseAllowedSource } from '../../domain/source/allowed-source.ts';
import { numberOf, parseIpAddress } from '../../domain/source/ip-address.ts';
import type { ObservedSource, UnlistedSources } from '../../domain/source/observed-source.ts';
import { type HostAddresses, hostsOf, matchesLiterally } from '../../domain/source/source-match.ts';
import { authorizeKey, type Caller, type Management } from '../management.ts';

export interface PreviewInput {
  readonly keyId: string;
  readonly allowedIps: readonly string[];
}

export interface AllowedIpsPreview {
  readonly accepted: readonly ObservedSource[];
  readonly rejected: readonly ObservedSource[];
  readonly unlisted: readonly UnlistedSources[];
}

/**
 * Returns the addresses from which a key was used, most recent first. Needs `view_team`.
 * Throws KEY_NOT_FOUND, FORBIDDEN, UNAVAILABLE.
 */
export async function readObservedSources(
  management: Management,
  caller: Caller,
  keyId: string,
): Promise<readonly ObservedSource[]> {
  return (await sourcesOfKey(management, caller, keyId)).listed;
}

/** Returns what is known of addresses beyond the limit of `readObservedSources`. Throws the same errors. */
export async function readUnlistedSources(
  management: Management,
  caller: Caller,
  keyId: string,
): Promise<readonly UnlistedSources[]> {
  return (await sourcesOfKey(management, caller, keyId)).unlisted;
}

async function sourcesOfKey({ store }: Management, caller: Caller, keyId: string) {
  const { secretVersion } = authorizeKey(caller, await store.keys.find(keyId), 'view_team');
  return await store.observedSources.list(keyId, secretVersion);
}

/**
 * Splits the observed sources of a key by whether an allow-list would accept them. Needs `view_team`.
 * Throws KEY_NOT_FOUND, FORBIDDEN, BAD_USER_INPUT (allowedIps), UNAVAILABLE.
 */
export async function previewAllowedIps(
  management: Management,
  caller: Caller,
  { keyId, allowedIps }: PreviewInput,
): Promise<AllowedIpsPreview> {
  const { store } = management;
  const { teamId, secretVersion } = authorizeKey(caller, await store.keys.find(keyId), 'view_team');
  const entries = parseFields({ allowedIps: settings.allowedIps.parse(allowedIps) }).allowedIps;
  const { listed, unlisted } = await store.observedSources.list(keyId, secretVersion);
  if (entries.length === 0) return { accepted: listed, rejected: [], unlisted };
  const sources = entries.map(parseAllowedSource).flatMap((source) => (source.ok ? [source.value] : []));
  const isAllowed = await matcherOf(sources, (host) => management.resolveHost(host, teamId));
  // Calls `isAllowed` once per address, because each call compares up to 100 entries.
  const accepted = new Set(listed.filter(({ address }) => isAllowed(address)));
  return { accepted: [...accepted], rejected: listed.filter((source) => !accepted.has(source)), unlisted };
}

/** Resolves each host name once, for all addresses. */
async function matcherOf(
  sources: readonly AllowedSource[],
  resolve: (host: string) => Promise<HostAddresses>,
): Promise<(address: string) => boolean> {
  const resolved = await Promise.all(hostsOf(sources).map(resolve));
  return (text) => {
    const address = parseIpAddress(text);
    if (address === null) return false;
    const number = numberOf(address);
    return matchesLiterally(sources, address) || resolved.some(({ addresses }) => addresses.has(number));
  };
}
