import type { VerdictCode } from '../domain/verdict/verdict-code.ts';
import type { DurationHistogram } from './duration-histogram.ts';
import type { OperationCounters } from './operation-counters.ts';
import type { RequestCounters } from './request-counters.ts';

/** The counters of the confirmation of cached keys, which only grow. At an edge, the upstreams are the store. */
export interface ConfirmationReadings {
  /** The numbers of rounds that the store answered, and did not answer. */
  readonly answered: number;
  readonly failed: number;
  /** Verifications decided on the result of an earlier round (VERIFY_LEASE_MS). */
  readonly leased: number;
  /** The durations of the rounds. */
  readonly durations: DurationHistogram;
  /** The ages of the confirmed state when verifications were decided on it. */
  readonly ages: DurationHistogram;
  /** The start of the last answered round, in milliseconds since the Unix epoch; 0 before the first. */
  readonly lastAt: number;
  /** The numbers of lookups that found their key in the cache, and that did not. */
  readonly hits: number;
  readonly misses: number;
}

/** The callers of the store by which its errors are counted. */
export const storeCallers = ['confirmation', 'nonces', 'usage', 'rateLimits', 'purge', 'management'] as const;
export type StoreCaller = (typeof storeCallers)[number];

/** The readings of both planes. Each plane runs in a process of its own. */
export interface PlaneReadings {
  readonly requests: RequestCounters;
  readonly storeErrors: Readonly<Partial<Record<StoreCaller, number>>>;
}

export interface ManagementReadings extends PlaneReadings {
  readonly operations: OperationCounters;
  /** Changes that wait for their transaction. */
  readonly changesWaiting: number;
}

/** The readings of edges, which instances have too. */
export interface EdgeReadings extends PlaneReadings {
  readonly verdicts: Readonly<Record<VerdictCode, number>>;
  readonly confirmation: ConfirmationReadings;
  readonly cache: {
    readonly size: number;
    readonly limit: number;
    /** Estimated. */
    readonly bytes: number;
    readonly maxBytes: number;
  };
  /** Usage counters that wait to be written, and verifications that were not counted because too many waited. */
  readonly usage: { readonly waiting: number; readonly dropped: number };
  /** Verifications that are in no observed source because there were too many addresses. */
  readonly sources: { readonly dropped: number };
}

export interface VerificationReadings extends EdgeReadings {
  /** Verifications rejected because imported keys of several teams match the presented key. */
  readonly conflicts: number;
  /** Edges that sent a request in the last seconds. */
  readonly edges: number;
}

/** Reads the current values of the planes that run in this process. */
export interface Readings {
  readonly management?: () => ManagementReadings;
  readonly verification?: () => VerificationReadings;
  readonly edge?: () => EdgeReadings;
}
