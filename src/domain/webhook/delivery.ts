import type { EventType } from '../event/event-types.ts';

export type DeliveryOutcome = 'PENDING' | 'DELIVERED' | 'FAILED';

/** What became of an event at an endpoint. */
export interface Delivery {
  readonly webhookId: string;
  readonly revision: bigint;
  readonly type: EventType;
  readonly keyId: string;
  readonly outcome: DeliveryOutcome;
  /** The number of attempts since the event was first due, or since its last replay. */
  readonly attempts: number;
  /** Of the last attempt, as are the following ones. */
  readonly status: number | null;
  readonly error: string | null;
  readonly durationMs: number | null;
  readonly responseBody: string | null;
  readonly createdAt: Date;
  readonly attemptedAt: Date | null;
  /** Null when nothing more will be attempted. */
  readonly nextAttemptAt: Date | null;
  /** Whether the event is sent again, on request. New events do not wait for these. */
  readonly isReplay: boolean;
}

/** The state of the deliveries to an endpoint, without test events. */
export interface DeliveryHealth {
  /** Settled deliveries among the newest ones. */
  readonly delivered: number;
  readonly failed: number;
  /** Deliveries whose last attempt failed, and that are attempted again. */
  readonly retrying: number;
  /** About when the last attempt of the first of them disables the endpoint. */
  readonly disablesAt: Date | null;
}
