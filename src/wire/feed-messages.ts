/**
 * The messages of `POST /v1/feed` and `POST /v1/feed/reports`, by which an edge verifies without a database. Services are
 * upgraded before edges. An edge reads the answers of services of 0.1 too, so that the wrong order stops no verification.
 */
import type { RateLimit } from '../domain/key/rate-limit.ts';
import type { VerifiedKey } from '../domain/verdict/verified-key.ts';
import type { RateCount, SourceRecord, UsageRecord } from './control-plane.ts';

export const maxFeedKeys = 100;
export const maxReportRecords = 500;
/** The maximum count in a record, so that the sum of a report is within the range of a stored count. */
export const maxReportCount = 4_000_000;
/** The maximum of VERIFY_LEASE_MS. After switching leases off, operators wait this long, until no edge has a lease. */
export const maxLeaseMs = 1000;
/** The maximum age of records that an edge sends late. Older records could change usage that was read before. */
export const maxReportAgeMs = 48 * 3_600_000;

export interface FeedRequest {
  /** A UUID that the edge chooses when it starts. */
  readonly edge: string;
  /** The cursor of the last answer; null when the edge has cached nothing. */
  readonly cursor: string | null;
  /** The presented keys that the edge has not cached. */
  readonly keys: readonly string[];
  /** The address that a request with each key came from; null if it is not known. Edges before 0.3 send none. */
  readonly sources?: readonly (string | null)[] | undefined;
}

export interface FeedAnswer {
  /** Names the state of the answer, which was read after the request arrived. */
  readonly cursor: string;
  /** The same state, for callers of the edge, who compare it with that of a change. Services before 0.3 send none. */
  readonly revision?: string;
  /** Whether the edge must drop all rows, because the changes since its cursor are not known. */
  readonly clear: boolean;
  /** The ids of changed keys, whose rows the edge must drop. Services of 0.1 also name digests of imported keys. */
  readonly changed: readonly string[];
  /** Whether any key was imported, so that a text in a foreign format may be a key. */
  readonly imports: boolean;
  /** How long the edge may rely on the state, from the time at which it sent the request. */
  readonly leaseMs: number;
  /** The minimum time between the starts of two requests of this edge. */
  readonly pauseMs: number;
  /** The matches of the keys in the request, in the same order. */
  readonly keys: readonly (FeedRow | FeedMismatch)[];
}

/** The verdict on a text that is not a key. Services of 0.1 send REVOKED for keys of several teams. Must not be cached. */
export interface FeedMismatch {
  readonly code: 'MALFORMED' | 'NOT_FOUND' | 'REVOKED';
}

/** A key, with the data to verify one of its secrets. Contains no pepper, no signing secret and no stored digest. */
export interface FeedRow extends VerifiedKey {
  /** When the key was created, in milliseconds since the epoch. Services of 0.1 may not send it. */
  readonly createdAt?: number;
  /** The version of the presented secret. */
  readonly version: number;
  readonly revoked: boolean;
  /** Also true if a fence freezes the key, so that edges without `frozen` reject it. */
  readonly disabled: boolean;
  /** If a fence freezes the key: until when, in milliseconds since the epoch (null: no end), and whether it is disabled. */
  readonly frozen?: { readonly until: number | null; readonly disabled: boolean };
  /** Whether the presented secret was replaced and is not accepted any more. */
  readonly rotated: boolean;
  /** When the presented secret expires, in milliseconds since the epoch; null for the current secret. */
  readonly secretExpiresAt: number | null;
  /** The allow-list without comments; null when the key has none. */
  readonly allowedIps: readonly string[] | null;
  /** Whether requests must be signed. Only the service can verify them. */
  readonly signed: boolean;
  readonly rateLimit: RateLimit | null;
  /** The label of the derived token that was presented, which reports name. */
  readonly label?: string;
  /** Whether the presented key has a foreign format, or is a derived token. */
  readonly imported: boolean;
  /** Of an imported key: empty. Services of 0.1 name other keys that matter, and their row must not be cached. */
  readonly dependencies?: readonly string[];
}

/** The counts of an edge. The dates are ISO 8601 in JSON. At most `maxReportRecords` records in all. */
export interface FeedReport {
  readonly edge: string;
  readonly usage: readonly UsageRecord[];
  readonly sources: readonly SourceRecord[];
  readonly rates: readonly RateCount[];
}

export interface FeedReportAnswer {
  /** The count of all processes for each rate of the report. */
  readonly totals: readonly number[];
}
