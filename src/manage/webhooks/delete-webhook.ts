import { Decision } from '../../store/changes/change.ts';
import { removeDeliveries } from '../../store/rows/deliveries.ts';
import { removeWebhook } from '../../store/rows/webhooks.ts';
import type { Caller, Management } from '../management.ts';
import { changeWebhook, webhookEntry } from './change-webhook.ts';

/**
 * Removes an endpoint and the log of its deliveries. Needs `manage_webhooks` on its team.
 * Throws WEBHOOK_NOT_FOUND, also if it was removed before, FORBIDDEN, UNAVAILABLE.
 */
export async function deleteWebhook(management: Management, caller: Caller, id: string): Promise<void> {
  await changeWebhook(
    management,
    caller,
    id,
    (webhook) =>
      new Decision(undefined, {
        entries: [webhookEntry(caller, 'WEBHOOK_DELETED', webhook, webhook)],
        rows: [removeDeliveries(id), removeWebhook(id)],
      }),
    // Removing must always work. It is possible only after a change that counts.
    { isCounted: false },
  );
  await management.store.deliveries.removeAll(id);
}
