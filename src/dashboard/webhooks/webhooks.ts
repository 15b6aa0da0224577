/** The webhooks of a team, and what changes of them have in common. */
import { useQuery } from '@tanstack/react-query';
import { execute } from '../api/execute.ts';
import { queryClient } from '../api/query-client.ts';
import { formatNumber } from '../components/format.ts';
import { UpdateWebhookDocument, type WebhookDetailsFragment, WebhooksDocument } from '../generated/graphql.ts';

export type Webhook = WebhookDetailsFragment;

/** Deliveries change without the user. */
export const pollMs = 5000;

export function useWebhooks(teamId: string, refetchInterval = pollMs) {
  return useQuery({
    queryKey: ['webhooks', teamId],
    queryFn: async ({ signal }) => (await execute(WebhooksDocument, { teamId }, signal)).webhooks,
    refetchInterval,
  });
}

/** Returns whether events fail, or did so until the webhook was disabled. */
export function needsAttention({ disabledAt, disabledReason, health }: Webhook): boolean {
  return disabledAt === null ? health.retrying > 0 : disabledReason !== 'MANUAL';
}

/** Returns a number with its noun, such as `1 event` or `2 events`. */
export function countOf(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
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
