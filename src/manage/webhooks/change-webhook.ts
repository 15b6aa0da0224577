import { type AuditChange, type AuditDetails, changesBetween } from '../../domain/audit-entry.ts';
import { LatchkeyError } from '../../domain/errors.ts';
import type { EventAction } from '../../domain/event/event-types.ts';
import { accessOf } from '../../domain/key/permission.ts';
import { shownOrigin, shownUrl } from '../../domain/webhook/shown-url.ts';
import type { Webhook } from '../../domain/webhook/webhook.ts';
import type { Change, Decision, NewEntry } from '../../store/changes/change.ts';
import { webhookWithId } from '../../store/rows/webhooks.ts';
import { type Caller, entryBy, forbidden, type Management } from '../management.ts';

/** Returns the webhook, if the caller may manage it. Callers of other teams get WEBHOOK_NOT_FOUND, as for an unknown id. */
export function authorizeWebhook({ session }: Caller, webhook: Webhook | null): Webhook {
  const access = webhook === null ? 'none' : accessOf(session, webhook.teamId, 'manage_webhooks');
  if (webhook === null || access === 'none') {
    throw new LatchkeyError('WEBHOOK_NOT_FOUND', 'There is no webhook with this id.');
  }
  if (access === 'lacking') throw forbidden('manage_webhooks');
  return webhook;
}

interface ChangeOptions {
  /** Whether the change counts in the team's budget: if a caller can repeat it without limit. Default: true. */
  readonly isCounted?: boolean;
  /** What a counted change stores besides its entries, as `ChangeBudget.counted` takes it. */
  readonly stored?: unknown;
}

/**
 * Checks `manage_webhooks` on the webhook's team and changes the webhook. Calls `decide` first without a transaction and,
 * only if it would write, again in a transaction. `revision` is that of its first entry.
 */
export async function changeWebhook<Answer>(
  { store, budget }: Management,
  caller: Caller,
  id: string,
  decide: (webhook: Webhook, revision: bigint) => Decision<Answer>,
  { isCounted = true, stored }: ChangeOptions = {},
): Promise<Answer> {
  // The check stays valid, because a webhook never changes its team.
  const found = authorizeWebhook(caller, await store.webhooks.find(id));
  const { teamId } = found;
  if (isCounted) budget.check(teamId);
  const unchanged = decide(found, 0n);
  if (unchanged.write === undefined) return unchanged.answer;
  const change: Change<Answer, Webhook | null> = {
    queueKey: teamId,
    caller,
    load: webhookWithId(id),
    decide: (webhook, revision) => decide(authorizeWebhook(caller, webhook), revision),
  };
  return await store.changes.submit(isCounted ? budget.counted(change, stored) : change);
}

/** Returns the entry for a change of a webhook, which shows the fields that differ. */
export function webhookEntry(
  caller: Caller,
  action: EventAction,
  before: Webhook | null,
  after: Webhook,
  details: AuditDetails = {},
): NewEntry {
  const { id, teamId, url } = after;
  return {
    ...entryBy(caller),
    action,
    keyId: id,
    teamId,
    changes: webhookChanges(before, after),
    details: { webhook: { id, origin: shownOrigin(url) }, ...details },
  };
}

export function webhookChanges(before: Webhook | null, after: Webhook): AuditChange[] {
  return changesBetween(before === null ? {} : shown(before), shown(after));
}

/** Returns the fields that the audit trail shows: no secret, no envelope, and of the URL what is no secret. */
function shown(webhook: Webhook) {
  return {
    url: shownUrl(webhook.url),
    description: webhook.description,
    types: webhook.types,
    form: webhook.form,
    signature: webhook.signature,
    disabledAt: webhook.disabledAt?.toISOString() ?? null,
    previousSecretExpiresAt: webhook.previousSecretExpiresAt?.toISOString() ?? null,
  };
}
