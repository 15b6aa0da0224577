import { randomUUID } from 'node:crypto';
import { LatchkeyError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { parseFields } from '../../domain/parse-fields.ts';
import type { SignatureScheme } from '../../domain/webhook/webhook.ts';
import { type Change, Decision } from '../../store/changes/change.ts';
import { insertWebhook, webhookCount } from '../../store/rows/webhooks.ts';
import { authorizeTeam, type Caller, type Management } from '../management.ts';
import { webhookEntry } from './change-webhook.ts';
import { parseNewWebhook, type WebhookFieldsInput } from './webhook-fields.ts';
import { type WebhookWithSecret, withNewSecret } from './webhook-secret.ts';

export interface CreateWebhookInput extends WebhookFieldsInput {
  readonly teamId: string;
  readonly url: string;
  readonly signature?: SignatureScheme | null | undefined;
}

/**
 * Adds an endpoint, which gets the events that happen from now on. Needs `manage_webhooks`.
 * Throws FORBIDDEN, BAD_USER_INPUT (url, description, types), WEBHOOK_LIMIT_REACHED, RATE_LIMITED, UNAVAILABLE.
 */
export async function createWebhook(
  management: Management,
  caller: Caller,
  { teamId, signature, ...input }: CreateWebhookInput,
): Promise<WebhookWithSecret> {
  const { store, budget, webhookNetworks } = management;
  authorizeTeam(caller, teamId, 'manage_webhooks');
  const fields = parseFields(parseNewWebhook(input, webhookNetworks));
  budget.check(teamId);
  const { webhook, secret } = withNewSecret(management, {
    ...fields,
    id: randomUUID(),
    teamId,
    signature: signature ?? 'V1',
    secretVersion: 1,
    previousSecretEnvelope: null,
    previousSecretExpiresAt: null,
    createdAt: caller.now,
    disabledAt: null,
    disabledReason: null,
    cursor: 0n,
    version: 1,
  });
  // Rejects most calls above the limit without a transaction.
  rejectAbove(await store.webhooks.count(teamId));
  const change: Change<WebhookWithSecret, number> = {
    queueKey: teamId,
    caller,
    load: webhookCount(teamId),
    decide: (count, revision) => {
      rejectAbove(count);
      // Its own creation is the last event that it does not get.
      const created = { ...webhook, cursor: revision };
      const entries = [webhookEntry(caller, 'WEBHOOK_CREATED', null, created)];
      return new Decision({ webhook: created, secret }, { entries, rows: [insertWebhook(created)] });
    },
  };
  return await store.changes.submit(budget.counted(change));
}

function rejectAbove(count: number): void {
  if (count < limits.webhooks) return;
  const message = `The team has ${count} webhooks, which is the limit. Remove one first.`;
  throw new LatchkeyError('WEBHOOK_LIMIT_REACHED', message);
}
