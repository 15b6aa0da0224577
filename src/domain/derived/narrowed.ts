/** What a derived token leaves of its key: never more than the key has at that moment. */
import { limits } from '../limits.ts';
import {
  type AllowedNetwork,
  type AllowedSource,
  formatAllowedSource,
  parseAllowedSource,
} from '../source/allowed-source.ts';
import { bitsOf } from '../source/ip-address.ts';
import type { DerivedToken } from './derived-token.ts';

/** The fields of a key that a token narrows. */
interface Narrowable {
  readonly scopes: readonly string[];
  readonly allowedIps: readonly string[];
  readonly expiresAt: number | null;
  readonly digestVersion: number;
}

/** An entry that no address matches: an empty list would allow every source. */
const nowhere = '255.255.255.255/32';

export function narrowed<Key extends Narrowable>(key: Key, token: DerivedToken): Key {
  const { scopes, sources, expiresAt, secretVersion } = token;
  return {
    ...key,
    scopes: scopes.filter((scope) => key.scopes.includes(scope)),
    allowedIps: sources === null ? key.allowedIps : intersection(key.allowedIps, sources),
    expiresAt: key.expiresAt === null ? expiresAt : Math.min(key.expiresAt, expiresAt),
    digestVersion: secretVersion,
  };
}

/** The networks that both lists allow. What a host name of the key resolves to is not among them. */
function intersection(ofKey: readonly string[], ofToken: readonly string[]): readonly string[] {
  const wanted = networksIn(ofToken);
  const allowed = ofKey.length === 0 ? wanted : both(networksIn(ofKey), wanted);
  // Each once, and no more than a key can have: fewer sources are never more than the key's.
  const entries = [...new Set(allowed.map((network) => formatAllowedSource(network)))].slice(0, limits.allowedSources);
  return entries.length === 0 ? [nowhere] : entries;
}

function networksIn(entries: readonly string[]): readonly AllowedNetwork[] {
  return entries.flatMap((entry) => {
    const parsed = parseAllowedSource(entry);
    return parsed.ok && isNetwork(parsed.value) ? [parsed.value] : [];
  });
}

function isNetwork(source: AllowedSource): source is AllowedNetwork {
  return source.kind === 'network';
}

/** Of two networks, one contains the other, or they have nothing in common. */
function both(some: readonly AllowedNetwork[], others: readonly AllowedNetwork[]): readonly AllowedNetwork[] {
  return some.flatMap((one) =>
    others.flatMap((other) => (contains(one, other) ? [other] : contains(other, one) ? [one] : [])),
  );
}

function contains(outer: AllowedNetwork, inner: AllowedNetwork): boolean {
  const { family, value } = outer.network;
  if (inner.network.family !== family || inner.prefixLength < outer.prefixLength) return false;
  const hostBits = BigInt(bitsOf[family] - outer.prefixLength);
  return inner.network.value >> hostBits === value >> hostBits;
}
