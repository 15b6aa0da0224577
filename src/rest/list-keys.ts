import { setImmediate as nextTurn } from 'node:timers/promises';
import { limits } from '../domain/limits.ts';
import { parseOptional } from '../domain/parse-fields.ts';
import type { RestListKeysQuery } from './generated/graphql.ts';
import * as operations from './operations.ts';
import { namingParameters, pageParameters, parseLimit } from './parameters.ts';
import type { Execute, RestAnswer, RestRequest } from './route.ts';

type KeysPage = RestListKeysQuery['keys'];

/** Streams all keys of a team. With `limit` or `cursor`, returns a page with a `Link` to the next page (RFC 8288). */
export async function listKeys({ execute, check, query }: RestRequest): Promise<RestAnswer> {
  const { teamId, cursor = null } = query;
  const { limit = null } = check({ limit: parseOptional(query.limit, parseLimit) });
  const size = limit ?? limits.pageSize;
  const page = await readPage(execute, teamId, size, cursor);
  if (limit === null && cursor === null) return { body: everyPage(execute, teamId, page) };
  const { nodes, pageInfo } = await fillPage(execute, teamId, size, page);
  if (!pageInfo.hasNextPage || pageInfo.endCursor == null) return { body: nodes };
  const more = limit === null ? {} : { limit: String(limit) };
  const next = new URLSearchParams({ teamId: String(teamId), ...more, cursor: pageInfo.endCursor });
  return { headers: { link: `</v1/keys?${next}>; rel="next"` }, body: nodes };
}

/** Fills a page up to its size. GraphQL ends pages early if allow-lists are long, but REST returns no allow-lists. */
async function fillPage(execute: Execute, teamId: unknown, size: number, firstPage: KeysPage): Promise<KeysPage> {
  const nodes = [...firstPage.nodes];
  let { pageInfo } = firstPage;
  while (nodes.length < size && pageInfo.hasNextPage && pageInfo.endCursor != null) {
    await nextTurn();
    const page = await readPage(execute, teamId, size - nodes.length, pageInfo.endCursor);
    nodes.push(...page.nodes);
    pageInfo = page.pageInfo;
  }
  return { nodes, pageInfo };
}

async function readPage(execute: Execute, teamId: unknown, limit: number, cursor: string | null): Promise<KeysPage> {
  const read = () => execute(operations.listKeys, { teamId, limit, cursor });
  return (await namingParameters(pageParameters, read)).keys;
}

async function* everyPage(execute: Execute, teamId: unknown, firstPage: KeysPage): AsyncGenerator<string> {
  let page = firstPage;
  yield '[';
  let separator = '';
  for (;;) {
    yield separator + page.nodes.map((key) => JSON.stringify(key)).join(',');
    const { hasNextPage, endCursor } = page.pageInfo;
    if (!hasNextPage || endCursor == null) break;
    // Lets other requests run between pages, because SQLite reads synchronously.
    await nextTurn();
    page = await readPage(execute, teamId, limits.pageSize, endCursor);
    separator = ',';
  }
  yield ']';
}
