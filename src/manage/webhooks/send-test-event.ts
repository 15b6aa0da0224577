import type { AuditEntry } from '../../domain/audit-entry.ts';
import { LatchkeyError } from '../../domain/errors.ts';
import { eventOf } from '../../domain/event/event.ts';
import { eventTypeOf } from '../../domain/event/event-types.ts';
import type { Delivery } from '../../domain/webhook/delivery.ts';
import type { Webhook } from '../../domain/webhook/webhook.ts';
import { Decision } from '../../store/changes/change.ts';
import type { Caller, Management } from '../management.ts';
import { authorizeWebhook, changeWebhook, webhookEntry } from './change-webhook.ts';

/** The maximum number of test events at the same time: in all, of a team, and of an endpoint. Each can take 15 s. */
export const maxTestEvents = { total: 32, perTeam: 4, perWebhook: 2 } as const;

/**
 * Writes a test event to the log and sends it to the endpoint at once, also to a disabled one. It is not repeated. Needs
 * `manage_webhooks` on its team.
 * Throws WEBHOOK_NOT_FOUND, FORBIDDEN, RATE_LIMITED, UNAVAILABLE.
 */
export async function sendTestEvent(management: Management, caller: Caller, id: string): Promise<Delivery> {
  const { store, revisions } = management;
  const release = takeSlot(management, authorizeWebhook(caller, await store.webhooks.find(id)));
  try {
    const decide = (webhook: Webhook, revision: bigint): Decision<{ webhook: Webhook; entry: AuditEntry }> => {
      const entry = webhookEntry(caller, 'WEBHOOK_TESTED', webhook, webhook);
      return new Decision({ webhook, entry: { ...entry, revision } }, { entries: [entry] });
    };
    const { webhook, entry } = await changeWebhook(management, caller, id, decide);
    const sent = await management.sendOnce(webhook, eventOf(entry, null, revisions));
    const delivery: Delivery = {
      ...sent,
      webhookId: id,
      revision: entry.revision,
      type: eventTypeOf(entry.action),
      keyId: entry.keyId,
      attempts: 1,
      createdAt: entry.at,
      nextAttemptAt: null,
      isReplay: false,
    };
    await store.deliveries.insert(delivery);
    return delivery;
  } finally {
    release();
  }
}

function takeSlot({ testSlots }: Management, { id, teamId }: Webhook): () => void {
  const slot = testSlots.take([
    { holder: `webhook ${id}`, maxSlots: maxTestEvents.perWebhook },
    { holder: `team ${teamId}`, maxSlots: maxTestEvents.perTeam },
  ]);
  if (slot.outcome === 'taken') return slot.release;
  const message = 'Other test events are still under way. Try again when they have ended, after at most 15 s.';
  throw new LatchkeyError('RATE_LIMITED', message, { retryAfterSeconds: 5 });
}
