/** The records of a run of events. Times are those of performance.now() of one process. */
import type { Arrival } from '../../../harness/webhook-receiver.ts';

/** An event as it must arrive, from the audit trail of its team. */
export interface LoggedEvent {
  readonly id: string;
  readonly type: string;
  /** The id of the key or webhook that it is about, or the nil UUID. */
  readonly subject: string;
  readonly timestamp: string;
  /** With the id of the key alone, since its name can have changed since. */
  readonly data: Readonly<Record<string, unknown>> & { readonly changes?: readonly LoggedChange[] };
}

export interface LoggedChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface EndpointHistory {
  readonly name: string;
  readonly webhookId: string;
  readonly teamId: string;
  /** Empty for all types. */
  readonly types: readonly string[];
  /** In the order in which they arrived. */
  readonly arrivals: readonly Arrival[];
}

/** An event as a reader of `GET /v1/events` got it. */
export interface ReadEvent {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface ReaderHistory {
  readonly name: string;
  readonly teamId: string;
  /** All that it has read, from the beginning of the log, in the order of its reading. */
  readonly events: readonly ReadEvent[];
}
