import { badInput, type FieldError, LatchkeyError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { Execute } from './execute.ts';
import type { RestListKeysQuery } from './generated/graphql.ts';
import * as operations from './operations.ts';
import type { RestAnswer, RestRequest } from './routes.ts';

type KeysPage = RestListKeysQuery['keys'];

/**
 * All keys of a team in one array, or with `limit` or `cursor` one page of it and a `Link` to the next (RFC 8288).
 * The whole list is sent page by page: it is never in memory at once, however many keys there are.
 */
export async function listKeys({ execute, query }: RestRequest): Promise<RestAnswer> {
  const teamId = query.get('teamId') ?? undefined;
  const limit = query.get('limit');
  const cursor = query.get('cursor');
  if (limit !== null && !/^\d{1,9}$/.test(limit)) {
    throw badInput([{ field: 'limit', message: `must be a whole number from 1 to ${limits.pageSize}` }]);
  }
  const page = await readPage(execute, teamId, limit === null ? limits.pageSize : Number(limit), cursor);
  if (limit === null && cursor === null) return { body: everyPage(execute, teamId, page) };
  const { hasNextPage, endCursor } = page.pageInfo;
  if (!hasNextPage || endCursor == null) return { body: page.nodes };
  const next = new URLSearchParams({ teamId: String(teamId), ...(limit === null ? {} : { limit }), cursor: endCursor });
  return { headers: { link: `</v1/keys?${next}>; rel="next"` }, body: page.nodes };
}

async function readPage(execute: Execute, teamId: unknown, limit: number, cursor: string | null): Promise<KeysPage> {
  try {
    return (await execute(operations.listKeys, { teamId, limit, cursor })).keys;
  } catch (error) {
    throw error instanceof LatchkeyError && error.code === 'BAD_USER_INPUT'
      ? badInput(error.fields.map(asParameter))
      : error;
  }
}

/** A refused argument of `keys`, by the name that the query parameter has. */
function asParameter({ field, message }: FieldError): FieldError {
  return { field: field === 'first' ? 'limit' : field === 'after' ? 'cursor' : field, message };
}

async function* everyPage(execute: Execute, teamId: unknown, firstPage: KeysPage): AsyncGenerator<string> {
  let page = firstPage;
  yield '[';
  let separator = '';
  for (;;) {
    yield separator + page.nodes.map((key) => JSON.stringify(key)).join(',');
    const { hasNextPage, endCursor } = page.pageInfo;
    if (!hasNextPage || endCursor == null) break;
    page = await readPage(execute, teamId, limits.pageSize, endCursor);
    separator = ',';
  }
  yield ']';
}
