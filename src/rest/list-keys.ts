import { setImmediate as nextTurn } from 'node:timers/promises';
import { limits } from '../domain/limits.ts';
import { parseOptional } from '../domain/parse-fields.ts';
import type * as operations from './operations.ts';
import { pageParameters, parseLimit } from './parameters.ts';
import type { ResultOf } from './rest-operation.ts';
import type { RequestOf, RestAnswer } from './route.ts';

type KeysPage = ResultOf<typeof operations.listKeys>;
type ReadPage = (limit: number, cursor: string | null) => Promise<KeysPage>;

const parameters = new Map([
  ...pageParameters,
  ['filter.externalId', 'externalId'],
  ['filter.tags', 'tag'],
  ['filter.state', 'state'],
  ['tags', 'tag'],
]);

/**
 * Streams all keys of a team that meet the filters. With `limit` or `cursor`, or if revoked keys are listed, returns a
 * page with a `Link` to the next page (RFC 8288).
 */
export async function listKeys({
  execute,
  check,
  query,
  lists,
}: RequestOf<typeof operations.listKeys>): Promise<RestAnswer> {
  const { teamId, externalId = null, cursor = null } = query;
  const { tag = null, state = null } = lists;
  const { limit = null } = check({ limit: parseOptional(query.limit, parseLimit) });
  const filter = { externalId, tags: tag, state };
  const readPage: ReadPage = (first, after) => execute({ teamId, first, after, filter }, parameters);
  const size = limit ?? limits.pageSize;
  const page = await readPage(size, cursor);
  // A team has any number of revoked keys, so one call reads only some of them.
  const hasRevoked = state?.includes('REVOKED') === true;
  if (limit === null && cursor === null && !hasRevoked) return { body: everyPage(readPage, page) };
  const { nodes, pageInfo } = hasRevoked ? page : await fillPage(readPage, size, page);
  if (!pageInfo.hasNextPage || pageInfo.endCursor == null) return { body: nodes };
  const next = new URLSearchParams({ teamId: String(teamId), ...(externalId === null ? {} : { externalId }) });
  for (const text of tag ?? []) next.append('tag', text);
  for (const name of state ?? []) next.append('state', name);
  if (limit !== null) next.append('limit', String(limit));
  next.append('cursor', pageInfo.endCursor);
  return { headers: { link: `</v1/keys?${next}>; rel="next"` }, body: nodes };
}

/** Fills a page up to its size. GraphQL ends pages early if allow-lists are long or few keys meet the filters. */
async function fillPage(readPage: ReadPage, size: number, firstPage: KeysPage): Promise<KeysPage> {
  const nodes = [...firstPage.nodes];
  let { pageInfo } = firstPage;
  while (nodes.length < size && pageInfo.hasNextPage && pageInfo.endCursor != null) {
    await nextTurn();
    const page = await readPage(size - nodes.length, pageInfo.endCursor);
    nodes.push(...page.nodes);
    pageInfo = page.pageInfo;
  }
  return { nodes, pageInfo };
}

async function* everyPage(readPage: ReadPage, firstPage: KeysPage): AsyncGenerator<string> {
  let page = firstPage;
  yield '[';
  let separator = '';
  for (;;) {
    if (page.nodes.length > 0) {
      yield separator + page.nodes.map((key) => JSON.stringify(key)).join(',');
      separator = ',';
    }
    const { hasNextPage, endCursor } = page.pageInfo;
    if (!hasNextPage || endCursor == null) break;
    // Lets other requests run between pages, because SQLite reads synchronously.
    await nextTurn();
    page = await readPage(limits.pageSize, endCursor);
  }
  yield ']';
}
