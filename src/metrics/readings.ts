import type { VerdictCode } from '../domain/verdict-code.ts';
import type { DurationTally } from './duration-tally.ts';
import type { OperationTallies } from './operation-tallies.ts';
import type { RequestTallies } from './request-tallies.ts';

/** What the confirmation of cached keys counts; every number only grows. */
export interface ConfirmationReadings {
  /** Rounds that the store answered, and those that it did not. */
  readonly answered: number;
  readonly failed: number;
  /** Verifications decided on what an earlier round had confirmed (VERIFY_LEASE_MS). */
  readonly leased: number;
  /** How long the store took for a round. */
  readonly durations: DurationTally;
  /** How old the confirmed state was that verifications were decided on. */
  readonly ages: DurationTally;
  /** When the last round that the store answered began, in milliseconds since the epoch; 0 before the first. */
  readonly lastAt: number;
  /** Keys that were in the cache when they were asked for, and those that were not. */
  readonly hits: number;
  readonly misses: number;
}

/** Who asked the store when it did not answer. */
export const storeCallers = ['confirmation', 'nonces', 'usage', 'purge', 'management'] as const;
export type StoreCaller = (typeof storeCallers)[number];

/** All that is measured, as it is at this moment. */
export interface Readings {
  readonly requests: readonly RequestTallies[];
  readonly operations: OperationTallies;
  readonly verdicts: Readonly<Record<VerdictCode, number>>;
  readonly confirmation: ConfirmationReadings;
  readonly cache: {
    readonly size: number;
    readonly limit: number;
    /** Estimated. */
    readonly bytes: number;
    readonly maxBytes: number;
  };
  /** Tallies of use that wait to be written, and verifications that were not counted because too many waited. */
  readonly usage: { readonly waiting: number; readonly dropped: number };
  readonly changesWaiting: number;
  readonly storeErrors: Readonly<Record<StoreCaller, number>>;
}
