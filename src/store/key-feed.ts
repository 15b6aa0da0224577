import type { ApiKey } from '../domain/api-key.ts';

/** What a verification needs of a key. */
export interface FeedKey extends StoredFeedKey {
  readonly allowedIps: readonly string[];
  /** The order of imports; null for a key made here. */
  readonly importRevision: number | null;
  /** Milliseconds since the epoch; null when the key never expires. */
  readonly expiresAt: number | null;
  readonly revoked: boolean;
}

/** The part of it that databases hand over as it is. */
export type StoredFeedKey = Pick<
  ApiKey,
  'id' | 'teamId' | 'name' | 'env' | 'prefix' | 'digest' | 'signingEnvelope' | 'signingVersion'
>;

/** What the store said, all of it at one moment. */
export interface Snapshot {
  /** The last change that was committed at that moment. */
  readonly revision: number;
  /** The keys that changed since the revision asked about, and those with the digests asked for. */
  readonly keys: readonly FeedKey[];
  /** More may have changed than is worth fetching, or can be told: whatever is known must be forgotten. */
  readonly overflow: boolean;
  /** Whether any key was imported, so that a text in another form than ours may be one. */
  readonly imports: boolean;
  /** For how long, from before the store was asked, every change is held back that this does not tell of. */
  readonly leaseMs: number;
}

/**
 * Tells what changed. Every change of a key takes the next revision in its own transaction, and revisions are
 * committed in their order, so that whoever has seen revision r and fetches what is beyond r misses nothing.
 */
export interface KeyFeed {
  /**
   * Reads the store as it is now: after this call began. `since` is the revision that the asker knows everything up
   * to; null when it knows nothing yet. A feed that answers without waiting answers without a promise.
   */
  readonly read: (since: number | null, digests: readonly string[]) => Snapshot | Promise<Snapshot>;
  readonly close: () => Promise<void>;
}

/**
 * Beyond this many changes, a cache is filled anew faster than it is brought up to date. The database's triggers advance
 * the revision by more than this when rows are changed by hand, so that every cache forgets: never raise it.
 */
export const maxChanges = 10_000;

/**
 * Whether what is known up to a revision can't be brought up to date. A revision goes back only when somebody puts the
 * database back to an earlier state: a restore, or a replica that lagged and took over. What was changed since never
 * happened then, and the cache may hold some of it. Should the revision have gone on beyond the known one meanwhile, it
 * doesn't tell; so a feed also compares what its database has that no restore brings back, its epoch.
 */
export function mustClearCache(since: number | null, revision: number): boolean {
  return since === null || revision < since || revision - since > maxChanges;
}
