import type { StoredKey } from '../../domain/key/api-key.ts';
import { settings } from '../../domain/key/settings.ts';
import { dayMs, parseMoment, startOfDay } from '../../domain/moment.ts';
import { parseFields } from '../../domain/parse-fields.ts';
import { type AllowedSource, parseAllowedSource } from '../../domain/source/allowed-source.ts';
import { formatIpAddress, ipAddressExpected, numberOf, parseIpAddress } from '../../domain/source/ip-address.ts';
import {
  type ObservedSource,
  type SourceDays,
  sourceDays,
  type UnlistedSources,
} from '../../domain/source/observed-source.ts';
import { type HostAddresses, hostsOf, matchesLiterally } from '../../domain/source/source-match.ts';
import { accepted, rejected } from '../../lib/parsed.ts';
import type { Store } from '../../store/store.ts';
import { authorizeKey, authorizeTeam, type Caller, type Management } from '../management.ts';

export interface PreviewInput {
  readonly keyId: string;
  readonly allowedIps: readonly string[];
}

export interface AllowedIpsPreview {
  readonly accepted: readonly ObservedSource[];
  readonly rejected: readonly ObservedSource[];
  readonly unlisted: readonly UnlistedSources[];
}

export interface SourcesInput {
  readonly keyId: string;
  readonly since?: Date | null | undefined;
}

/**
 * Returns the addresses from which a key was used, most recent first; with `since`, those first seen at or after it. Needs
 * `view_team`.
 * Throws KEY_NOT_FOUND, FORBIDDEN, BAD_USER_INPUT (since), UNAVAILABLE.
 */
export async function readObservedSources(
  management: Management,
  caller: Caller,
  { keyId, since }: SourcesInput,
): Promise<readonly ObservedSource[]> {
  const { listed } = await sourcesOfKey(management, caller, keyId);
  if (since == null) return listed;
  const from = parseFields({ since: parseMoment(since) }).since;
  return listed.filter(({ firstAt }) => firstAt >= from);
}

export type DaysOfKeys = ReadonlyMap<string, ReadonlyMap<string, SourceDays>>;

const daysBefore = (now: Date) =>
  Array.from({ length: sourceDays }, (_, i) => startOfDay(now).getTime() - (sourceDays - 1 - i) * dayMs);

/** Reads the days of the observed sources of keys with one query. Throws UNAVAILABLE. */
export async function readSourceDays(
  { observedSources }: Store,
  now: Date,
  keyIds: readonly string[],
): Promise<DaysOfKeys> {
  const [first = 0] = daysBefore(now);
  return await observedSources.days(keyIds, new Date(first));
}

/** Returns the counts of an address on each of the last `sourceDays` days, oldest first. */
export function countsByDay(days: SourceDays | undefined, of: 'accepted' | 'rejected', now: Date): number[] {
  return daysBefore(now).map((day) => days?.get(day)?.[of] ?? 0);
}

export interface AddressUse {
  readonly apiKey: StoredKey;
  readonly accepted: number;
  readonly rejected: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

/** The maximum number of keys in a response. */
export const maxAddressKeys = 100;

/**
 * Returns the keys of a team that were presented from an address, the last one first. Needs `view_team`.
 * Throws FORBIDDEN, BAD_USER_INPUT (address), UNAVAILABLE.
 */
export async function readAddressActivity(
  { store }: Management,
  caller: Caller,
  { teamId, address }: { readonly teamId: string; readonly address: string },
): Promise<AddressUse[]> {
  authorizeTeam(caller, teamId, 'view_team');
  const parsed = parseIpAddress(address.trim());
  const wanted = parseFields({ address: parsed === null ? rejected(ipAddressExpected) : accepted(parsed) }).address;
  const uses = new Map<string, Omit<AddressUse, 'apiKey'>>();
  for (const { keyId, ...day } of await store.observedSources.ofAddress(teamId, formatIpAddress(wanted))) {
    const known = uses.get(keyId) ?? { ...day, accepted: 0, rejected: 0 };
    uses.set(keyId, {
      accepted: known.accepted + day.accepted,
      rejected: known.rejected + day.rejected,
      firstAt: day.firstAt < known.firstAt ? day.firstAt : known.firstAt,
      lastAt: day.lastAt > known.lastAt ? day.lastAt : known.lastAt,
    });
  }
  const latest = [...uses].sort(([, a], [, b]) => b.lastAt.getTime() - a.lastAt.getTime()).slice(0, maxAddressKeys);
  const keys = await store.keys.findInTeam(
    teamId,
    latest.map(([keyId]) => keyId),
  );
  return latest.flatMap(([keyId, use]) => {
    // A key that was purged meanwhile has counts, but no row.
    const apiKey = keys.get(keyId);
    return apiKey === undefined ? [] : [{ apiKey, ...use }];
  });
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
