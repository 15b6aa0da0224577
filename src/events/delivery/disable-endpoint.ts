import { randomUUID } from 'node:crypto';
import type { Delivery } from '../../domain/webhook/delivery.ts';
import { shownOrigin } from '../../domain/webhook/shown-url.ts';
import type { Webhook } from '../../domain/webhook/webhook.ts';
import { Decision } from '../../store/changes/change.ts';
import type { ChangeQueue } from '../../store/changes/change-queue.ts';
import { recordDelivery } from '../../store/rows/deliveries.ts';
import { webhookWithId, writeWebhook } from '../../store/rows/webhooks.ts';
import { systemEntry } from '../system-entry.ts';
import type { DisabledByAnswer } from './delivery-counters.ts';

/**
 * Disables an endpoint and writes the outcome of the attempt with it, unless the endpoint has changed since the attempt
 * began: the answer of an old URL does not disable a new one. Returns whether it did.
 */
export async function disableEndpoint(
  changes: ChangeQueue,
  webhook: Webhook,
  reason: DisabledByAnswer,
  delivery: Delivery,
  at: Date,
): Promise<boolean> {
  const { id: keyId, teamId, url, version } = webhook;
  const details = { webhook: { id: keyId, origin: shownOrigin(url) }, reason };
  const entry = systemEntry({ action: 'WEBHOOK_DISABLED', keyId, teamId, details }, randomUUID(), at);
  return await changes.submit<boolean, Webhook | null>({
    queueKey: teamId,
    load: webhookWithId(keyId),
    decide: (current) => {
      if (current?.version !== version || current.disabledAt !== null) return new Decision(false);
      const disabled: Webhook = { ...current, disabledAt: at, disabledReason: reason, version: version + 1 };
      return new Decision(true, { entries: [entry], rows: [recordDelivery(delivery), writeWebhook(disabled)] });
    },
  });
}
