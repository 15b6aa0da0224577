import type { UpFence } from '../../domain/fence/fence.ts';
import type { ApiKey } from '../../domain/key/api-key.ts';
import type { Metadata } from '../../domain/key/metadata.ts';

/** The fields of a key that verification needs. */
export interface FeedKey extends StoredFeedKey {
  readonly allowedIps: readonly string[];
  readonly revision: number;
  /** The revision of the import, by which imports are ordered; null for a key that was not imported. */
  readonly importRevision: number | null;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  /** Milliseconds since the Unix epoch; null if the key never expires. */
  readonly expiresAt: number | null;
  readonly revoked: boolean;
  readonly disabled: boolean;
  readonly tripwire: boolean;
  readonly scopes: readonly string[];
  readonly tags: readonly string[];
  readonly metadata: Metadata | null;
  /** When the previous secret expires, in milliseconds since the Unix epoch; null if it is not accepted. */
  readonly previousExpiresAt: number | null;
  readonly previousSigningExpiresAt: number | null;
}

const unchanged = [
  ...(['id', 'teamId', 'name', 'env', 'prefix', 'externalId', 'responsible', 'secretVersion'] as const),
  ...(['signingEnvelope', 'signingVersion', 'previousSigningEnvelope', 'previousSigningVersion'] as const),
] as const;
const large = ['revision', 'importRevision'] as const;
const lists = ['allowedIps', 'scopes', 'tags'] as const;
const times = [
  'createdAt',
  'expiresAt',
  'revokedAt',
  'disabledAt',
  'previousExpiresAt',
  'previousSigningExpiresAt',
] as const;

/** The fields that both databases return unchanged. */
interface StoredFeedKey extends Pick<ApiKey, (typeof unchanged)[number]> {
  /** The digest of the secret that was looked up. In a changed key: of the current secret. */
  readonly digest: string;
  /** The version of the secret with this digest. An earlier secret has a lower version than `secretVersion`. */
  readonly digestVersion: number;
  readonly rateLimit: number | null;
  readonly rateLimitWindowSeconds: number | null;
}

/** A database row. The types of times, lists and JSON depend on the database, and large numbers may be text. */
export type FeedKeyRow<List, Json> = StoredFeedKey &
  Readonly<Record<(typeof lists)[number], List> & Record<(typeof times)[number], string | null>> & {
    readonly createdAt: string;
    readonly metadata: Json | null;
    readonly tripwire: boolean | 0 | 1;
    readonly revision: number | string;
    readonly importRevision: number | string | null;
  };

/** Returns the columns of the key `k`, except the digest and its version, which depend on how the key was found. */
export function feedColumns(selectTime: (column: string) => string): string {
  const others = [...unchanged, ...large, ...lists, 'metadata', 'rateLimit', 'rateLimitWindowSeconds', 'tripwire'];
  return [...others.map((column) => `k."${column}"`), ...times.map(selectTime)].join(', ');
}

/** Converts a row, given functions that convert the types of its database. */
export function feedKey<List, Json>(
  { revokedAt, disabledAt, ...row }: FeedKeyRow<List, Json>,
  listOf: (list: List) => readonly string[],
  objectOf: (json: Json) => Metadata,
  timeOf: (time: string) => number,
): FeedKey {
  const timeOrNull = (time: string | null) => (time === null ? null : timeOf(time));
  return {
    ...row,
    revision: Number(row.revision),
    importRevision: row.importRevision === null ? null : Number(row.importRevision),
    allowedIps: listOf(row.allowedIps),
    scopes: listOf(row.scopes),
    tags: listOf(row.tags),
    metadata: row.metadata === null ? null : objectOf(row.metadata),
    createdAt: timeOf(row.createdAt),
    expiresAt: timeOrNull(row.expiresAt),
    previousExpiresAt: timeOrNull(row.previousExpiresAt),
    previousSigningExpiresAt: timeOrNull(row.previousSigningExpiresAt),
    revoked: revokedAt !== null,
    disabled: disabledAt !== null,
    tripwire: Boolean(row.tripwire),
  };
}

export interface FencesState {
  readonly revision: number;
  /** Those of all teams, in this state or a newer one. */
  readonly up: readonly UpFence[];
}

export interface StoreSnapshot {
  /** Snapshots with the same epoch are of one database, which did not return to an earlier state between them. */
  readonly epoch: string;
  readonly revision: number;
  /** The keys that changed since the given revision, and the keys with the given digests or ids. */
  readonly keys: readonly FeedKey[];
  /** Whether the caller must clear its cache, because too much may have changed, or the changes are not known. */
  readonly overflow: boolean;
  /** Whether any key was imported. If so, a text in a foreign format may be a key. */
  readonly imports: boolean;
  /** Encrypts revisions for callers, as hexadecimal digits. */
  readonly idSecret: string;
  /** The fences that are up, and their revision; null if they are as in the last snapshot. */
  readonly fences: FencesState | null;
  /** Changes missing from the snapshot are acknowledged only this long after the start of the read. */
  readonly leaseMs: number;
}

/** Reads changed keys by revision. Changes commit in the order of their revisions, so that readers miss no change. */
export interface KeyFeed {
  /**
   * Reads a state no older than the call, with the keys that have a secret with one of the digests, or one of the ids.
   * `since`: the revision up to which the caller knows all changes.
   */
  readonly read: (
    since: number | null,
    digests: readonly string[],
    ids?: readonly string[],
  ) => StoreSnapshot | Promise<StoreSnapshot>;
  readonly close: () => Promise<void>;
}

/** More changes than this clear a cache. Never raise it, because triggers for manual SQL rely on its value. */
export const maxChanges = 10_000;

/**
 * Returns whether a cache must be cleared. The revision decreases when the database returns to an earlier state (a
 * restore, a lagging replica), and may then grow beyond `since` again. Therefore, each feed also compares an epoch.
 */
export function mustClearCache(since: number | null, revision: number): boolean {
  return since === null || revision < since || revision - since > maxChanges;
}
