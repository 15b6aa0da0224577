import { parseFields } from '../../domain/parse-fields.ts';
import { parseOverlap } from '../../domain/secret/rotated-secret.ts';
import { Decision } from '../../store/changes/change.ts';
import { writeWebhook } from '../../store/rows/webhooks.ts';
import type { Caller, Management } from '../management.ts';
import { changeWebhook, webhookEntry } from './change-webhook.ts';
import { type WebhookWithSecret, withNewSecret } from './webhook-secret.ts';

/**
 * Replaces the secret of an endpoint. The previous secret signs too during the overlap; older secrets do not. Needs
 * `manage_webhooks` on its team.
 * Throws WEBHOOK_NOT_FOUND, FORBIDDEN, BAD_USER_INPUT (overlapSeconds), RATE_LIMITED, UNAVAILABLE.
 */
export async function rotateWebhookSecret(
  management: Management,
  caller: Caller,
  id: string,
  overlapSeconds: number,
): Promise<WebhookWithSecret> {
  const overlapMs = 1000 * parseFields({ overlapSeconds: parseOverlap(overlapSeconds) }).overlapSeconds;
  return await changeWebhook(management, caller, id, (before) => {
    const issued = withNewSecret(management, {
      ...before,
      secretVersion: before.secretVersion + 1,
      previousSecretEnvelope: overlapMs === 0 ? null : before.secretEnvelope,
      previousSecretExpiresAt: overlapMs === 0 ? null : new Date(caller.now.getTime() + overlapMs),
      version: before.version + 1,
    });
    const entries = [webhookEntry(caller, 'WEBHOOK_SECRET_ROTATED', before, issued.webhook)];
    return new Decision(issued, { entries, rows: [writeWebhook(issued.webhook)] });
  });
}
