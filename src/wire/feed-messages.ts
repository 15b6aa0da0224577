/** The messages of `POST /v1/feed` and `POST /v1/feed/reports`, by which an edge verifies without a database. */
import type { RateLimit } from '../domain/key/rate-limit.ts';
import type { VerifiedKey } from '../domain/verdict/verified-key.ts';
import type { RateCount, SourceRecord, UsageRecord } from './control-plane.ts';

export const maxFeedKeys = 100;
export const maxReportRecords = 500;
/** The maximum count in a record, so that the sum of a report is within the range of a stored count. */
export const maxReportCount = 4_000_000;
/** VERIFY_LEASE_MS may be as long. After it is switched off, operators wait until no edge has a lease. */
export const maxLeaseMs = 1000;
/** An edge keeps what it can't send. What is older is not accepted, so that it can't change what was already read. */
export const maxReportAgeMs = 48 * 3_600_000;

export interface FeedRequest {
  /** A UUID that the edge chooses when it starts. */
  readonly edge: string;
  /** The cursor of the last answer; null when the edge has cached nothing. */
  readonly cursor: string | null;
  /** The presented keys that the edge has not cached. */
  readonly keys: readonly string[];
}

export interface FeedAnswer {
  /** The state of the answer, at least as new as the arrival of the request. */
  readonly cursor: string;
  /** Whether the edge must drop all rows: the changes since its cursor are not known. */
  readonly clear: boolean;
  /** The ids of changed keys, and opaque names of what imported ones match. All rows that depend on one must be dropped. */
  readonly changed: readonly string[];
  /** Whether an imported key has changed. */
  readonly importsChanged: boolean;
  /** Whether `changed` has those names. Without it, as from earlier versions, `importsChanged` makes all rows invalid. */
  readonly namesImports?: true;
  /** Whether any key was imported, so that a text in a foreign format may be a key. */
  readonly imports: boolean;
  /** How long after it sent the request the edge may rely on the state. */
  readonly leaseMs: number;
  /** The minimum time between the starts of two requests of this edge. */
  readonly pauseMs: number;
  /** What the keys of the request match, in their order. */
  readonly keys: readonly (FeedRow | FeedMismatch)[];
}

/** The verdict on a text that is not a key, or that matches keys of several teams. It must not be cached. */
export interface FeedMismatch {
  readonly code: 'MALFORMED' | 'NOT_FOUND' | 'REVOKED';
}

/** A key, as a presented secret of it is verified. It contains no pepper, no signing secret and no stored digest. */
export interface FeedRow extends VerifiedKey {
  /** The version of the presented secret. */
  readonly version: number;
  readonly revoked: boolean;
  readonly disabled: boolean;
  /** Whether the presented secret was replaced and is not accepted any more. */
  readonly rotated: boolean;
  /** Until when the presented secret is accepted, in milliseconds since the epoch; null for the current one. */
  readonly secretExpiresAt: number | null;
  /** Without comments; null for a key without an allow-list. */
  readonly allowedIps: readonly string[] | null;
  /** Whether requests must be signed. Only the service can verify them. */
  readonly signed: boolean;
  readonly rateLimit: RateLimit | null;
  /** Whether the presented key has a foreign format. */
  readonly imported: boolean;
  /** On what else the row of an imported key depends: keys that match or could match. Without it, it must not be cached. */
  readonly dependencies?: readonly string[];
}

/** The counts of an edge. The dates are ISO 8601 in JSON. At most `maxReportRecords` in all. */
export interface FeedReport {
  readonly edge: string;
  readonly usage: readonly UsageRecord[];
  readonly sources: readonly SourceRecord[];
  readonly rates: readonly RateCount[];
}

export interface FeedReportAnswer {
  /** For each of the rates the count of all processes. */
  readonly totals: readonly number[];
}
