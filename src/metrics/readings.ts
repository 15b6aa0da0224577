import type { VerdictCode } from '../domain/verdict/verdict-code.ts';
import type { DeliveryOutcome } from '../domain/webhook/delivery.ts';
import type { ConfirmationCounters } from './confirmation-counters.ts';
import type { OperationCounters } from './operation-counters.ts';
import type { RequestCounters } from './request-counters.ts';

export const storeCallers = ['confirmation', 'nonces', 'usage', 'rateLimits', 'purge', 'management'] as const;
export type StoreCaller = (typeof storeCallers)[number];

/** The readings that both planes have. Each plane runs in its own process. */
export interface PlaneReadings {
  readonly requests: RequestCounters;
  readonly storeErrors: Readonly<Partial<Record<StoreCaller, number>>>;
}

export interface ManagementReadings extends PlaneReadings {
  readonly operations: OperationCounters;
  readonly changesWaiting: number;
  readonly deliveries: {
    /** The attempts to deliver an event, by what then became of the delivery. */
    readonly attempts: Readonly<Record<DeliveryOutcome, number>>;
    /** The endpoints that were disabled, by reason. */
    readonly disabled: Readonly<Record<'GONE' | 'FAILING', number>>;
    /** The age of the oldest event that waits for its delivery; 0 without one. */
    readonly oldestAgeMs: number;
  };
}

/** The readings of an edge. An instance has them too. */
export interface EdgeReadings extends PlaneReadings {
  readonly verdicts: Readonly<Record<VerdictCode, number>>;
  readonly confirmation: ConfirmationCounters;
  readonly cache: {
    readonly size: number;
    readonly limit: number;
    readonly bytes: number;
    readonly maxBytes: number;
  };
  /** `waiting`: counters to be written. `dropped`: verifications not counted because too many counters waited. */
  readonly usage: { readonly waiting: number; readonly dropped: number };
  /** `dropped`: verifications without a recorded address, because there were too many addresses. */
  readonly sources: { readonly dropped: number };
}

export interface VerificationReadings extends EdgeReadings {
  readonly edges: number;
}

/** Reads the current values of the planes that run in this process. */
export interface Readings {
  readonly management?: () => ManagementReadings;
  readonly verification?: () => VerificationReadings;
  readonly edge?: () => EdgeReadings;
}
