/** The webhooks of a team, and what changes of them have in common. */
import { useQuery } from '@tanstack/react-query';
import { execute } from '../api/execute.ts';
import { queryClient } from '../api/query-client.ts';
import { UpdateWebhookDocument, type WebhookDetailsFragment, WebhooksDocument } from '../generated/graphql.ts';

export type Webhook = WebhookDetailsFragment;

/** Deliveries change without the user. */
export const pollMs = 5000;

export function useWebhooks(teamId: string) {
  return useQuery({
    queryKey: ['webhooks', teamId],
    queryFn: async ({ signal }) => (await execute(WebhooksDocument, { teamId }, signal)).webhooks,
    refetchInterval: pollMs,
  });
}

/** Returns the name of a webhook for people. Not its URL, whose path is a secret at some receivers. */
export function nameOf({ url, description }: Pick<Webhook, 'url'> & Partial<Pick<Webhook, 'description'>>): string {
  return description ?? new URL(url).host;
}

export async function setEnabled(id: string, enabled: boolean): Promise<void> {
  await execute(UpdateWebhookDocument, { id, input: { enabled } });
}

/** Loads again what a change of a webhook can have changed. */
export async function reloadWebhooks(): Promise<void> {
  const changed: readonly unknown[] = ['webhooks', 'deliveries', 'trail'];
  await queryClient.invalidateQueries({ predicate: ({ queryKey: [kind] }) => changed.includes(kind) });
}
