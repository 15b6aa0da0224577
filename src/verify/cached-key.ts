import type { DerivedToken } from '../domain/derived/derived-token.ts';
import { narrowed } from '../domain/derived/narrowed.ts';
import { notFrozen } from '../domain/fence/fence.ts';
import { rateLimitOf } from '../domain/key/rate-limit.ts';
import { previousSigningSecret } from '../domain/secret/rotated-secret.ts';
import { type AllowedSource, parseAllowedSource } from '../domain/source/allowed-source.ts';
import { hostsOf } from '../domain/source/source-match.ts';
import type { JudgedKey } from '../domain/verdict/checks.ts';
import type { AnsweredKey } from '../domain/verdict/verification-call.ts';
import { type VerifiedKey, verifiedFields } from '../domain/verdict/verified-key.ts';
import type { KeyCacheOptions } from '../engine/key-cache.ts';
import type { FeedKey } from '../store/feed/key-feed.ts';
import type { LimitedKey } from '../usage/count-verdict.ts';

/** A key as the data plane caches it: what a verdict needs, and the serialized answer. */
export interface CachedKey extends AnsweredKey, Omit<JudgedKey, 'frozenUntil'>, LimitedKey {
  readonly createdAt: number;
  /** What fences can be about. */
  readonly tags: readonly string[];
  readonly responsible: string | null;
  /** Set by `UpFences`, with the revision of the fences that it was compared with. */
  frozenUntil: number;
  fencedAt: number;
  /** The version of the key's current secret. */
  readonly secretVersion: number;
  readonly rotated: boolean;
  readonly tripwire: boolean;
  /** The token that was presented instead of a secret; null for a secret. */
  readonly derived: DerivedToken | null;
  /** What uses are counted under besides the key; null for nothing. */
  readonly label: string | null;
  readonly importRevision: number | null;
  /** Whether the key has an allow-list. */
  readonly restricted: boolean;
  readonly sources: readonly AllowedSource[];
  /** The host names among the sources. */
  readonly hosts: readonly string[];
  readonly signing: SealedSecret | null;
  /** The previous signing secret, and the time until which it is accepted. */
  readonly previousSigning: (SealedSecret & { readonly expiresAt: number }) | null;
  /** The estimated memory use in the cache, in bytes. */
  readonly bytes: number;
}

export const keysInCache: Pick<KeyCacheOptions<CachedKey>, 'bytesOf' | 'idOf' | 'isSameSecret'> = {
  bytesOf: ({ bytes }) => bytes,
  idOf: ({ id }) => id,
  isSameSecret: (cached, changed) => cached.presentedVersion === changed.secretVersion,
};

/** An encrypted signing secret. Decrypted once, because decryption costs as much as checking a signature. */
export interface SealedSecret {
  readonly envelope: string;
  readonly version: number;
  opened: Buffer | null;
}

const none: readonly never[] = [];

/** @param derived the token that is to be cached instead of a secret of the key */
export function cachedKey(found: FeedKey, derived: DerivedToken | null = null): CachedKey {
  const key = derived === null ? found : narrowed(found, derived);
  const { id, teamId, env, createdAt, expiresAt, revoked, disabled } = key;
  const { secretVersion, digestVersion, previousExpiresAt } = key;
  const sources = key.allowedIps.length === 0 ? none : key.allowedIps.flatMap(parsed);
  const isCurrent = digestVersion === secretVersion;
  const described = describe(key, isCurrent);
  return {
    id,
    teamId,
    env,
    createdAt,
    tags: key.tags.length === 0 ? none : key.tags,
    responsible: key.responsible,
    frozenUntil: notFrozen,
    fencedAt: neverFenced,
    expiresAt,
    revoked,
    disabled,
    secretVersion,
    presentedVersion: digestVersion,
    secretExpiresAt: isCurrent ? null : digestVersion === secretVersion - 1 ? (previousExpiresAt ?? ended) : ended,
    rotated: !isCurrent,
    tripwire: key.tripwire,
    derived,
    label: derived?.label ?? null,
    scopeText: key.scopes.join(' '),
    externalId: key.externalId,
    rateLimit: rateLimitOf(key.rateLimit, key.rateLimitWindowSeconds),
    importRevision: key.importRevision,
    restricted: key.allowedIps.length > 0,
    sources,
    hosts: sources.some(({ kind }) => kind === 'host') ? hostsOf(sources) : none,
    signing: sealed(key.signingEnvelope, key.signingVersion),
    previousSigning: previousSigningOf(key),
    described,
    bytes:
      estimateBytes(key, described, sources) + (derived === null ? 0 : derivedBytes + JSON.stringify(derived).length),
  };
}

/** No revision of fences. */
const neverFenced = -1;

/** The expiry of a secret that is never accepted, at any clock time. */
export const ended = Number.NEGATIVE_INFINITY;

function describe(key: FeedKey, isCurrent: boolean): string {
  const expiresAt = key.expiresAt === null ? null : new Date(key.expiresAt).toISOString();
  const secret: VerifiedKey['secret'] = isCurrent ? 'current' : 'previous';
  return JSON.stringify(verifiedFields({ ...key, keyId: key.id, expiresAt, secret })).slice(1);
}

/** Parses the fields of the serialized answer. To save memory, they are not stored separately. */
export function describedFields({ described }: CachedKey): VerifiedKey {
  return JSON.parse(`{${described}`);
}

function sealed(envelope: string | null, version: number): SealedSecret | null {
  return envelope === null ? null : { envelope, version, opened: null };
}

function previousSigningOf(key: FeedKey): CachedKey['previousSigning'] {
  const previous = previousSigningSecret(key);
  return previous === null ? null : { ...previous, opened: null };
}

/** The measured size without the parts that `estimateBytes` adds. */
const ordinaryBytes = 576;
const networkBytes = 135;
const hostBytes = 70;
const signingBytes = 300;
const scopesBytes = 24;
const tagBytes = 24;
/** The token, and the set that has its entry. */
const derivedBytes = 500;
/** The set that has the entry of an imported key. */
const importedBytes = 300;

function estimateBytes(key: FeedKey, described: string, sources: readonly AllowedSource[]): number {
  const sourceBytes = sources.reduce(
    (sum, source) => sum + (source.kind === 'host' ? hostBytes + source.host.length : networkBytes),
    0,
  );
  const signing =
    (key.signingEnvelope === null ? 0 : signingBytes) + (key.previousSigningEnvelope === null ? 0 : signingBytes);
  const scopes = key.scopes.length === 0 ? 0 : scopesBytes + key.scopes.join(' ').length;
  const imported = key.importRevision === null ? 0 : importedBytes;
  const named = [key.externalId, key.responsible].reduce((sum, text) => sum + (text === null ? 0 : textBytes(text)), 0);
  const tags = key.tags.reduce((sum, tag) => sum + tagBytes + textBytes(tag), 0);
  return ordinaryBytes + textBytes(described) + named + tags + sourceBytes + signing + scopes + imported;
}

/** V8 uses two bytes per character for a string that is not entirely Latin-1. */
function textBytes(text: string): number {
  return /^[\0-\xff]*$/.test(text) ? text.length : 2 * text.length;
}

/** Parses a stored entry. An invalid entry allows nothing, so that the key stays restricted. */
function parsed(entry: string): AllowedSource[] {
  const source = parseAllowedSource(entry);
  if (!source.ok) return [];
  if (source.value.kind !== 'host') return [source.value];
  // Copied, because a substring would keep the whole entry, with its comment, in V8's memory.
  return [{ kind: 'host', host: Buffer.from(source.value.host, 'latin1').toString('latin1') }];
}
