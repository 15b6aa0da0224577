import { parseFields, withoutUnchanged } from '../../domain/parse-fields.ts';
import type { Webhook } from '../../domain/webhook/webhook.ts';
import { accepted } from '../../lib/parsed.ts';
import { Decision, type NewEntry } from '../../store/changes/change.ts';
import { makeDeliveriesDue } from '../../store/rows/deliveries.ts';
import { writeWebhook } from '../../store/rows/webhooks.ts';
import type { Caller, Management } from '../management.ts';
import { authorizeWebhook, changeWebhook, webhookChanges, webhookEntry } from './change-webhook.ts';
import { notNull, parseChangedWebhook, type WebhookFieldsInput } from './webhook-fields.ts';

export interface UpdateWebhookInput extends WebhookFieldsInput {
  readonly enabled?: boolean | null | undefined;
}

/**
 * Changes the given fields of an endpoint, enables it or disables it. A disabled endpoint keeps its place in the log.
 * Needs `manage_webhooks` on its team.
 * Throws WEBHOOK_NOT_FOUND, FORBIDDEN, BAD_USER_INPUT (url, description, types, form, enabled), RATE_LIMITED, UNAVAILABLE.
 */
export async function updateWebhook(
  management: Management,
  caller: Caller,
  id: string,
  { enabled, ...input }: UpdateWebhookInput,
): Promise<Webhook> {
  const parsedFields = parseChangedWebhook(input, management.webhookNetworks);
  const parsed = {
    ...parsedFields,
    ...(enabled === undefined ? {} : { enabled: notNull(enabled, accepted<boolean>) }),
  };
  const decide = (before: Webhook): Decision<Webhook> => {
    const { enabled: isEnabled, ...fields } = parseFields(withoutUnchanged(parsed, input, before));
    const updated: Webhook = { ...before, ...fields };
    const switched = withState(updated, isEnabled, caller.now);
    const entries: NewEntry[] = [];
    if (webhookChanges(before, updated).length > 0) {
      entries.push(webhookEntry(caller, 'WEBHOOK_UPDATED', before, updated));
    }
    if (switched !== updated) entries.push(stateEntry(caller, updated, switched));
    if (entries.length === 0) return new Decision(before);
    const after = { ...switched, version: before.version + 1 };
    const isEnabledAgain = before.disabledAt !== null && after.disabledAt === null;
    const due = isEnabledAgain ? [makeDeliveriesDue(id, caller.now)] : [];
    return new Decision(after, { entries, rows: [...due, writeWebhook(after)] });
  };
  const wasCounted = enabled === true && (await makeDue(management, caller, id, decide));
  // Disabling must always work. It is possible only after a change that counts.
  const isCounted = !wasCounted && (enabled !== false || Object.keys(parsedFields).length > 0);
  return await changeWebhook(management, caller, id, decide, { isCounted });
}

/**
 * Before the change that enables the endpoint, in changes of their own: there can be many deliveries, and a change locks
 * out all others. Together they count once. Returns whether they did.
 */
async function makeDue(
  { store, budget }: Management,
  caller: Caller,
  id: string,
  decide: (before: Webhook) => unknown,
): Promise<boolean> {
  const webhook = authorizeWebhook(caller, await store.webhooks.find(id));
  // Throws if the change will be rejected.
  decide(webhook);
  const { teamId, disabledAt } = webhook;
  if (disabledAt === null) return false;
  budget.take(teamId);
  await store.deliveries.makeDue(id, caller.now, caller);
  return true;
}

function withState(webhook: Webhook, isEnabled: boolean | undefined, now: Date): Webhook {
  const wasEnabled = webhook.disabledAt === null;
  if (isEnabled === undefined || isEnabled === wasEnabled) return webhook;
  return isEnabled
    ? { ...webhook, disabledAt: null, disabledReason: null }
    : { ...webhook, disabledAt: now, disabledReason: 'MANUAL' };
}

function stateEntry(caller: Caller, before: Webhook, after: Webhook): NewEntry {
  if (after.disabledReason === null) return webhookEntry(caller, 'WEBHOOK_ENABLED', before, after);
  return webhookEntry(caller, 'WEBHOOK_DISABLED', before, after, { reason: after.disabledReason });
}
