/** Constructs the delivery of events to webhooks. */
import type { OpaqueRevisions } from '../../domain/opaque-revisions.ts';
import type { KeyRing } from '../../domain/secret/key-ring.ts';
import { Deliverer } from '../../events/delivery/deliverer.ts';
import type { EventForms } from '../../events/forms/forms.ts';
import type { LogTail } from '../../events/log-tail.ts';
import type { EventSender } from '../../events/sender/webhook-sender.ts';
import type { Store } from '../../store/store.ts';
import type { Report } from '../processes/throttled-report.ts';

export interface WebhookDeliveryParts {
  readonly store: Store;
  readonly revisions: OpaqueRevisions;
  readonly signingKeks: KeyRing;
  readonly sender: EventSender;
  readonly logTail: LogTail;
  readonly forms: EventForms;
  readonly report: Report;
}

export function startWebhookDeliveries({ logTail: tail, ...parts }: WebhookDeliveryParts) {
  const deliverer = new Deliverer({ ...parts, tail });
  deliverer.start();
  return {
    deliverer,
    readings: () => ({ ...deliverer.counters, oldestAgeMs: deliverer.oldestAgeMs }),
    /** Finishes the requests under way, for a short time. */
    stop: async () => await deliverer.close(),
  };
}
