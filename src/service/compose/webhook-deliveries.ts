/** Constructs the delivery of events to webhooks. */
import type { Configuration } from '../../config/configuration.ts';
import type { OpaqueRevisions } from '../../domain/opaque-revisions.ts';
import type { KeyRing } from '../../domain/secret/key-ring.ts';
import { Deliverer } from '../../events/delivery/deliverer.ts';
import type { EventForms } from '../../events/forms/forms.ts';
import type { LogTail } from '../../events/log-tail.ts';
import { WebhookSender, type WebhookSenderOptions } from '../../events/sender/webhook-sender.ts';
import type { Store } from '../../store/store.ts';
import type { Report } from '../processes/throttled-report.ts';

export interface WebhookDeliveryParts {
  readonly store: Store;
  readonly revisions: OpaqueRevisions;
  readonly signingKeks: KeyRing;
  readonly addressesOf: WebhookSenderOptions['addressesOf'];
  readonly logTail: LogTail;
  readonly forms: EventForms;
  /** Of Latchkey. */
  readonly version: string;
  readonly report: Report;
}

export function startWebhookDeliveries(
  { WEBHOOK_ALLOWED_NETWORKS }: Configuration,
  { addressesOf, version, logTail: tail, ...parts }: WebhookDeliveryParts,
) {
  const sender = new WebhookSender({
    addressesOf,
    allowedNetworks: WEBHOOK_ALLOWED_NETWORKS ?? [],
    userAgent: `Latchkey/${version}`,
  });
  const deliverer = new Deliverer({ ...parts, tail, sender });
  deliverer.start();
  return {
    deliverer,
    readings: () => ({ ...deliverer.counters, oldestAgeMs: deliverer.oldestAgeMs }),
    /** Finishes the requests under way, for a short time. */
    stop: async () => {
      await deliverer.close();
      sender.close();
    },
  };
}
