import { type AllowedSource, parseAllowedSource } from '../domain/allowed-source.ts';
import type { KeyEnv } from '../domain/api-key.ts';
import type { FeedKey } from '../store/key-feed.ts';

/** A key as the data plane keeps it: what a verdict needs, and what is answered with it, ready to be sent. */
export interface CachedKey {
  readonly id: string;
  readonly teamId: string;
  readonly env: KeyEnv;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revoked: boolean;
  /** Whether there is an allow-list. */
  readonly restricted: boolean;
  readonly sources: readonly AllowedSource[];
  readonly signing: SealedSecret | null;
  /** The answer's fields behind `valid` and `code`, as JSON text up to the closing brace. */
  readonly described: string;
  /** About how many bytes of memory it takes in the cache. */
  readonly bytes: number;
}

/** Opened when the first signed request comes, and then kept: opening costs as much as checking a signature. */
export interface SealedSecret {
  readonly envelope: string;
  readonly version: number;
  opened: Buffer | null;
}

const none: readonly AllowedSource[] = [];

export function cachedKey(key: FeedKey): CachedKey {
  const { id, teamId, name, env, prefix, expiresAt } = key;
  const expiry = expiresAt === null ? null : new Date(expiresAt).toISOString();
  const described = JSON.stringify({ keyId: id, teamId, name, env, prefix, expiresAt: expiry }).slice(1);
  const sources = key.allowedIps.length === 0 ? none : key.allowedIps.flatMap(parsed);
  return {
    id,
    teamId,
    env,
    createdAt: key.createdAt,
    expiresAt,
    revoked: key.revoked,
    restricted: key.allowedIps.length > 0,
    sources,
    signing:
      key.signingEnvelope === null
        ? null
        : { envelope: key.signingEnvelope, version: key.signingVersion, opened: null },
    described,
    bytes: estimateBytes(described, sources, key.signingEnvelope !== null),
  };
}

/** Measured: the objects, the other texts and the place in the cache. */
const ordinaryBytes = 460;
const networkBytes = 135;
const hostBytes = 70;
const signingBytes = 300;

function estimateBytes(described: string, sources: readonly AllowedSource[], isSigned: boolean): number {
  const sourceBytes = sources.reduce(
    (sum, source) => sum + (source.kind === 'host' ? hostBytes + source.host.length : networkBytes),
    0,
  );
  return ordinaryBytes + textBytes(described) + sourceBytes + (isSigned ? signingBytes : 0);
}

/** V8 takes two bytes for each character of a text that is not all Latin-1. */
function textBytes(text: string): number {
  return /^[\0-\xff]*$/.test(text) ? text.length : 2 * text.length;
}

/** Only valid entries are ever stored. Should one not be, it allows nothing: the key stays restricted. */
function parsed(entry: string): AllowedSource[] {
  const source = parseAllowedSource(entry);
  if (!source.ok) return [];
  if (source.value.kind !== 'host') return [source.value];
  // A copy: V8 keeps a part of a text as a reference to the whole, here the entry with its comment.
  return [{ kind: 'host', host: Buffer.from(source.value.host, 'latin1').toString('latin1') }];
}
