import type { DeliveryOutcome } from '../../domain/webhook/delivery.ts';
import type { DisabledReason } from '../../domain/webhook/webhook.ts';

export type DisabledByAnswer = Exclude<DisabledReason, 'MANUAL'>;

/** What this process has delivered since its start. */
export class DeliveryCounters {
  /** The attempts, by what then became of the delivery: PENDING if the event will be sent again. */
  readonly attempts: Record<DeliveryOutcome, number> = { DELIVERED: 0, PENDING: 0, FAILED: 0 };
  /** The endpoints that were disabled by their answers. */
  readonly disabled: Record<DisabledByAnswer, number> = { GONE: 0, FAILING: 0 };
}
