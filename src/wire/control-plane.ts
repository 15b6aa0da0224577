import type { LeakMatch, LeakReport } from '../domain/leak.ts';
import type { VerdictCount } from '../domain/verdict/verdict-code.ts';

/** How often a secret of a key was verified in one hour, by verdict, and when it was last VALID. */
export interface UsageRecord {
  readonly keyId: string;
  readonly teamId: string;
  /** The version of the secret: 1 for the first one of the key. */
  readonly version: number;
  /** That of the token that was presented instead of the secret; null or absent for a secret or a token without one. */
  readonly label?: string | null | undefined;
  readonly hour: Date;
  readonly lastUsedAt: Date | null;
  readonly counts: readonly VerdictCount[];
}

/** How often a secret of a key was presented from one address, by verdict, since the previous record. */
export interface SourceRecord {
  readonly keyId: string;
  readonly version: number;
  readonly address: string;
  readonly firstAt: Date;
  readonly lastAt: Date;
  readonly counts: readonly VerdictCount[];
}

/** A request to revoke the key that it presents. */
export interface HolderCall {
  readonly source: string | null;
  readonly requestId: string;
  readonly now: Date;
}

/** A tripwire was presented. */
export interface Trip {
  readonly keyId: string;
  readonly source: string | null;
  readonly at: Date;
}

/** What decides on keys, and the last state that it has confirmed. */
export interface VerifierState {
  readonly id: string;
  readonly kind: 'INSTANCE' | 'EDGE';
  readonly revision: number;
  readonly confirmedAt: Date;
  /** When it was heard of: it can have decided on that state until then, and for a lease after. */
  readonly seenAt: Date;
}

/** How often a key with a rate limit was accepted in one window. */
export interface RateCount {
  readonly keyId: string;
  readonly windowSeconds: number;
  readonly windowEnd: Date;
  readonly count: number;
}

/**
 * The calls from verification to management. Only management writes to the main database, so that waiting for the
 * write lock never blocks verification. Each method throws UNAVAILABLE when management or the store does not answer.
 */
export interface ControlPlane {
  /** Adds to the stored usage, all or nothing, and replaces what is stored of these verifiers. */
  readonly addUsage: (records: readonly UsageRecord[], verifiers?: readonly VerifierState[]) => Promise<void>;
  /** Tells the teams of presented tripwires, at most once a minute each. */
  readonly addTrips: (trips: readonly Trip[]) => Promise<void>;
  /** Adds to the stored observed sources, all or nothing. */
  readonly addSources: (records: readonly SourceRecord[]) => Promise<void>;
  /** Adds to the stored counts of rate limits, at most one count per key. Returns the sum of all processes for each count. */
  readonly addRates: (counts: readonly RateCount[]) => Promise<readonly number[]>;
  /** Lets edges of older versions look for derived tokens, before the first one is answered. */
  readonly announceTokens: () => Promise<void>;
  /**
   * Revokes the key. Returns the revision of the state without it, as callers see it; null if there is no such key. Resolves
   * once no instance accepts it anymore.
   */
  readonly revokeOwnKey: (keyId: string, call: HolderCall) => Promise<string | null>;
  /**
   * Records leaked secrets, and does what the policies of their teams say. Returns for each match whether it is a secret
   * of a key. Resolves once no instance accepts the keys that were disabled or revoked.
   */
  readonly reportLeaks: (matches: readonly LeakMatch[], report: LeakReport) => Promise<readonly boolean[]>;
}
