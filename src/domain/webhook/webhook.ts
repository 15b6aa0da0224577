import type { EventType } from '../event/event-types.ts';

/** How events are written. */
export type EventForm = 'STANDARD' | 'CLOUDEVENTS' | 'OCSF';

/** HMAC-SHA-256 or Ed25519, as Standard Webhooks names them. */
export type SignatureScheme = 'V1' | 'V1A';

export type DisabledReason = 'MANUAL' | 'GONE' | 'FAILING';

/** An endpoint that gets the events of a team. */
export interface Webhook {
  readonly id: string;
  readonly teamId: string;
  readonly url: string;
  readonly description: string | null;
  /** Empty for all types. */
  readonly types: readonly EventType[];
  readonly form: EventForm;
  readonly signature: SignatureScheme;
  /** The sealed secret (`V1`) or private key (`V1A`). */
  readonly secretEnvelope: string;
  readonly secretVersion: number;
  /** Of version `secretVersion - 1`. It signs too until `previousSecretExpiresAt`. */
  readonly previousSecretEnvelope: string | null;
  readonly previousSecretExpiresAt: Date | null;
  readonly createdAt: Date;
  readonly disabledAt: Date | null;
  readonly disabledReason: DisabledReason | null;
  /** Every event up to this revision that the endpoint wants has a row, by which it is delivered. */
  readonly cursor: bigint;
  /** Counts changes of the endpoint by people, and its being disabled. */
  readonly version: number;
}

export function wants(webhook: Webhook, type: EventType): boolean {
  return webhook.types.length === 0 || webhook.types.includes(type);
}
