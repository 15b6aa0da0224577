import { setImmediate as nextTurn } from 'node:timers/promises';
import { limits } from '../domain/limits.ts';
import { parseOptional } from '../domain/parse-fields.ts';
import type * as operations from './operations.ts';
import { pageParameters, parseLimit } from './parameters.ts';
import type { ResultOf } from './rest-operation.ts';
import type { RequestOf, RestAnswer } from './route.ts';

type KeysPage = ResultOf<typeof operations.listKeys>;
type ReadPage = (limit: number, cursor: string | null) => Promise<KeysPage>;

/** A whole key costs more than the few fields of the other list. */
const wholePage = { size: 50, maxSize: 100 } as const;

const parameters = new Map([
  ...pageParameters,
  ['filter.env', 'env'],
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
  const { cursor = null } = query;
  const { limit, filter } = parametersOf({ check, query, lists });
  const readPage: ReadPage = (first, after) => execute({ teamId: query.teamId, first, after, filter }, parameters);
  const size = limit ?? limits.pageSize;
  const page = await readPage(size, cursor);
  // A team has any number of revoked keys, so one call reads only some of them.
  const hasRevoked = filter.state?.includes('REVOKED') === true;
  if (limit === null && cursor === null && !hasRevoked) return { body: everyPage(readPage, page) };
  return pageAnswer('/v1/keys', { query, lists }, hasRevoked ? page : await fillPage(readPage, size, page));
}

/** Returns a page of the keys of a team that meet the filters, with all settings: what tells whether they drifted. */
export async function listWholeKeys({
  execute,
  check,
  path: { teamId },
  query,
  lists,
}: RequestOf<typeof operations.listWholeKeys>): Promise<RestAnswer> {
  const { limit, filter } = parametersOf({ check, query, lists }, wholePage.maxSize);
  const page = await execute({ teamId, first: limit ?? wholePage.size, after: query.cursor, filter }, parameters);
  return pageAnswer(`/v1/teams/${teamId}/keys`, { query, lists }, page);
}

type Given = Pick<RequestOf<typeof operations.listKeys>, 'query' | 'lists'>;

function parametersOf(
  { check, query, lists }: Given & Pick<RequestOf<typeof operations.listKeys>, 'check'>,
  maxLimit: number = limits.pageSize,
) {
  const { env = null, externalId = null } = query;
  const { tag = null, state = null } = lists;
  const { limit = null } = check({ limit: parseOptional(query.limit, (text) => parseLimit(text, maxLimit)) });
  return { limit, filter: { env, externalId, tags: tag, state } };
}

/** Returns the keys of a page, with a `Link` to the next one. */
function pageAnswer(
  path: string,
  { query: { cursor: _, ...query }, lists }: Given,
  { nodes, pageInfo }: { readonly nodes: readonly object[]; readonly pageInfo: KeysPage['pageInfo'] },
): RestAnswer {
  if (!pageInfo.hasNextPage || pageInfo.endCursor == null) return { body: nodes };
  const next = new URLSearchParams();
  for (const [name, values = []] of Object.entries({ ...query, ...lists })) {
    for (const value of [values].flat()) next.append(name, value);
  }
  next.append('cursor', pageInfo.endCursor);
  return { headers: { link: `<${path}?${next}>; rel="next"` }, body: nodes };
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
