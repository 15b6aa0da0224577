import { parseFields, parseOptional } from '../../domain/parse-fields.ts';
import type { Delivery, DeliveryOutcome } from '../../domain/webhook/delivery.ts';
import type { Caller, Management } from '../management.ts';
import { type Page, parsePageSize, readPage, revisionCursors } from '../read/page.ts';
import { authorizeWebhook } from './change-webhook.ts';

export type DeliveryPage = Page<Delivery>;

export interface DeliveriesInput {
  readonly webhookId: string;
  readonly outcome?: DeliveryOutcome | null | undefined;
  readonly first: number;
  readonly after?: string | null | undefined;
}

/**
 * Returns a page of the deliveries of an endpoint, newest events first. With an outcome, a page covers a limited part of
 * the list, so it can be empty although the next page has deliveries. Needs `manage_webhooks` on its team.
 * Throws WEBHOOK_NOT_FOUND, FORBIDDEN, BAD_USER_INPUT (first, after), UNAVAILABLE.
 */
export async function readDeliveries(
  { store, revisions }: Management,
  caller: Caller,
  input: DeliveriesInput,
): Promise<DeliveryPage> {
  const { id: webhookId } = authorizeWebhook(caller, await store.webhooks.find(input.webhookId));
  const cursors = revisionCursors('DELIVERY', revisions);
  const { first, after: before } = parseFields({
    first: parsePageSize(input.first),
    after: parseOptional(input.after, cursors.parse),
  });
  const { outcome } = input;
  const last = outcome == null ? null : await store.deliveries.lastToScan({ webhookId, before });
  const found = await store.deliveries.list({ webhookId, outcome, before, last, limit: first + 1 });
  const page = await readPage(
    input,
    found.map(textBytes),
    async (count) => found.slice(0, count),
    (delivery) => ({ node: delivery, cursor: cursors.encode(delivery.revision) }),
  );
  return page.hasNextPage || last === null ? page : { ...page, hasNextPage: true, endCursor: cursors.encode(last) };
}

function textBytes({ responseBody, error }: Delivery): number {
  return Buffer.byteLength(responseBody ?? '') + Buffer.byteLength(error ?? '');
}
