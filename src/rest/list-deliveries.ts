import { parseOptional } from '../domain/parse-fields.ts';
import type * as operations from './operations.ts';
import { pageParameters, parseLimit } from './parameters.ts';
import type { RequestOf, RestAnswer } from './route.ts';

const defaultLimit = 50;

/** Returns a page of the deliveries of a webhook, with a `Link` to the next page (RFC 8288). */
export async function listDeliveries({
  execute,
  check,
  id,
  query,
}: RequestOf<typeof operations.listDeliveries>): Promise<RestAnswer> {
  const { outcome = null, cursor = null } = query;
  const { limit } = check({ limit: parseOptional(query.limit, parseLimit) });
  const args = { webhookId: id, outcome, first: limit ?? defaultLimit, after: cursor };
  const { nodes, pageInfo } = await execute(args, pageParameters);
  if (!pageInfo.hasNextPage || pageInfo.endCursor == null) return { body: nodes };
  const next = new URLSearchParams({
    ...(limit == null ? {} : { limit: String(limit) }),
    ...(outcome === null ? {} : { outcome }),
    cursor: pageInfo.endCursor,
  });
  return { headers: { link: `</v1/webhooks/${id}/deliveries?${next}>; rel="next"` }, body: nodes };
}
