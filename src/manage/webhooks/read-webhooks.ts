import type { Webhook } from '../../domain/webhook/webhook.ts';
import { authorizeTeam, type Caller, type Management } from '../management.ts';

/**
 * Returns the endpoints of a team, oldest first. Needs `manage_webhooks`.
 * Throws FORBIDDEN, UNAVAILABLE.
 */
export async function listWebhooks({ store }: Management, caller: Caller, teamId: string): Promise<Webhook[]> {
  authorizeTeam(caller, teamId, 'manage_webhooks');
  return await store.webhooks.list(teamId);
}
