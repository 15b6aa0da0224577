import type { ApiKey } from '../../domain/key/api-key.ts';
import type { Metadata } from '../../domain/key/metadata.ts';

/** The fields of a key that verification needs. */
export interface FeedKey extends StoredFeedKey {
  readonly allowedIps: readonly string[];
  readonly revision: number;
  /** The order of imports; null for a key made here. */
  readonly importRevision: number | null;
  /** Milliseconds since the epoch; null when the key never expires. */
  readonly expiresAt: number | null;
  readonly revoked: boolean;
  readonly disabled: boolean;
  readonly scopes: readonly string[];
  readonly metadata: Metadata | null;
  /** Until when the previous secret is accepted, in milliseconds since the epoch; null if it is not. */
  readonly previousExpiresAt: number | null;
  readonly previousSigningExpiresAt: number | null;
}

const unchanged = [
  ...(['id', 'teamId', 'name', 'env', 'prefix', 'externalId', 'secretVersion'] as const),
  ...(['signingEnvelope', 'signingVersion', 'previousSigningEnvelope', 'previousSigningVersion'] as const),
] as const;
const large = ['revision', 'importRevision'] as const;
const lists = ['allowedIps', 'scopes'] as const;
const times = ['expiresAt', 'revokedAt', 'disabledAt', 'previousExpiresAt', 'previousSigningExpiresAt'] as const;

/** The fields that both databases return unchanged. */
interface StoredFeedKey extends Pick<ApiKey, (typeof unchanged)[number]> {
  /** The digest of the secret that was looked up or, in a changed key, of the current or the imported secret. */
  readonly digest: string;
  /** The version of that secret. Less than `secretVersion` for an earlier secret. */
  readonly digestVersion: number;
  readonly rateLimit: number | null;
  readonly rateLimitWindowSeconds: number | null;
}

/** A row of a database, which returns times, lists and JSON in forms of its own, and large numbers perhaps as text. */
export type FeedRow<List, Json> = StoredFeedKey &
  Readonly<Record<(typeof lists)[number], List> & Record<(typeof times)[number], string | null>> & {
    readonly metadata: Json | null;
    readonly revision: number | string;
    readonly importRevision: number | string | null;
  };

/** The columns of the key `k`. Its digest and the version of that depend on how it was found. */
export function feedColumns(selectTime: (column: string) => string): string {
  const others = [...unchanged, ...large, ...lists, 'metadata', 'rateLimit', 'rateLimitWindowSeconds'];
  return [...others.map((column) => `k."${column}"`), ...times.map(selectTime)].join(', ');
}

/** Reads a row, given what reads the forms of its database. */
export function feedKey<List, Json>(
  { revokedAt, disabledAt, ...row }: FeedRow<List, Json>,
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
    metadata: row.metadata === null ? null : objectOf(row.metadata),
    expiresAt: timeOrNull(row.expiresAt),
    previousExpiresAt: timeOrNull(row.previousExpiresAt),
    previousSigningExpiresAt: timeOrNull(row.previousSigningExpiresAt),
    revoked: revokedAt !== null,
    disabled: disabledAt !== null,
  };
}

export interface Snapshot {
  /** The same epoch means the same database, and that it has not returned to an earlier state. */
  readonly epoch: string;
  readonly revision: number;
  /**
   * The keys that changed since the given revision, and those with the given digests. A key that was imported and then
   * rotated is listed by both secrets: the imported one, which no earlier snapshot had, may match keys of other teams.
   */
  readonly keys: readonly FeedKey[];
  /** Whether the caller must clear its cache: too much may have changed, or the changes are not known. */
  readonly overflow: boolean;
  /** Whether any key was imported, so that a text in a foreign format may be a key. */
  readonly imports: boolean;
  /** How long, from before the read, every change that the snapshot lacks is delayed before it is answered. */
  readonly leaseMs: number;
}

/** Each change takes the next revision in its transaction, and they commit in order, so that readers miss none. */
export interface KeyFeed {
  /** Reads after the start of this call. `since`: up to where the caller knows all changes; null if it knows none. */
  readonly read: (since: number | null, digests: readonly string[]) => Snapshot | Promise<Snapshot>;
  readonly close: () => Promise<void>;
}

/** Beyond this, caches are cleared. Never raise it: for changes by hand, triggers advance the revision by more. */
export const maxChanges = 10_000;

/**
 * Returns whether a cache must be cleared. A revision goes back when the database returns to an earlier state (a
 * restore, a lagging replica). It may have passed the known one since, so each feed also compares an epoch.
 */
export function mustClearCache(since: number | null, revision: number): boolean {
  return since === null || revision < since || revision - since > maxChanges;
}
