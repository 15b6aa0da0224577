import { type AllowedSource, parseAllowedSource } from '../domain/allowed-source.ts';
import type { KeyEnv } from '../domain/api-key.ts';
import type { KeyConflict } from '../domain/matching-keys.ts';
import { hostsOf } from '../domain/source-match.ts';
import type { FeedKey } from '../store/key-feed.ts';

/** A key as the data plane keeps it: what a verdict needs, and what is answered with it, ready to be sent. */
export interface CachedKey {
  readonly id: string;
  readonly teamId: string;
  readonly env: KeyEnv;
  readonly expiresAt: number | null;
  readonly revoked: boolean;
  readonly importRevision: number | null;
  /** Whether there is an allow-list. */
  readonly restricted: boolean;
  readonly sources: readonly AllowedSource[];
  /** The host names among the sources. */
  readonly hosts: readonly string[];
  readonly signing: SealedSecret | null;
  /** The answer's fields behind `valid` and `code`, as JSON text up to the closing brace. */
  readonly described: string;
  /** About how many bytes of memory it takes in the cache. */
  readonly bytes: number;
}

/** What a presented key stands for. */
export type CachedMatch = CachedKey | KeyConflict;

/** Opened when the first signed request comes, and then kept: opening costs as much as checking a signature. */
export interface SealedSecret {
  readonly envelope: string;
  readonly version: number;
  opened: Buffer | null;
}

const none: readonly never[] = [];

export function cachedKey(key: FeedKey): CachedKey {
  const { id, teamId, name, env, prefix, expiresAt } = key;
  const expiry = expiresAt === null ? null : new Date(expiresAt).toISOString();
  const sources = key.allowedIps.length === 0 ? none : key.allowedIps.flatMap(parsed);
  const described = JSON.stringify({ keyId: id, teamId, name, env, prefix, expiresAt: expiry }).slice(1);
  return {
    id,
    teamId,
    env,
    expiresAt,
    revoked: key.revoked,
    importRevision: key.importRevision,
    restricted: key.allowedIps.length > 0,
    sources,
    hosts: sources.some(({ kind }) => kind === 'host') ? hostsOf(sources) : none,
    signing:
      key.signingEnvelope === null
        ? null
        : { envelope: key.signingEnvelope, version: key.signingVersion, opened: null },
    described,
    bytes: estimateBytes(key, described, sources),
  };
}

/** Measured: the objects, the other texts and the place in the cache. */
const ordinaryBytes = 460;
const networkBytes = 135;
const hostBytes = 70;
const signingBytes = 300;
/** The digests and ids by which the entry of an imported key is found. */
const importedBytes = 700;

function estimateBytes(key: FeedKey, described: string, sources: readonly AllowedSource[]): number {
  const sourceBytes = sources.reduce(
    (sum, source) => sum + (source.kind === 'host' ? hostBytes + source.host.length : networkBytes),
    0,
  );
  const signing = key.signingEnvelope === null ? 0 : signingBytes;
  const imported = key.importRevision === null ? 0 : importedBytes;
  return ordinaryBytes + textBytes(described) + sourceBytes + signing + imported;
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
