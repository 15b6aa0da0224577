/** Reads lists of the service page by page. */
import type { CliKeyFragment, KeyFilter, KeyOrder } from './generated/graphql.ts';
import { listKeys } from './operations.ts';
import type { Execute } from './service.ts';

/** As many whole keys, and as many audit entries, as one operation may cost. */
export const keysPageSize = 150;
export const entriesPageSize = 400;

export interface Page<T> {
  readonly nodes: readonly T[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null };
}

export async function* readPages<T>(readPage: (after: string | null) => Promise<Page<T>>): AsyncIterable<T> {
  let after: string | null = null;
  do {
    const { nodes, pageInfo }: Page<T> = await readPage(after);
    yield* nodes;
    after = pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null;
  } while (after !== null);
}

interface KeyList {
  readonly teamId: string;
  readonly filter: KeyFilter;
  readonly orderBy?: KeyOrder;
}

export function readKeys(execute: Execute, list: KeyList): AsyncIterable<CliKeyFragment> {
  return readPages(async (after) => (await execute(listKeys, { ...list, first: keysPageSize, after })).keys);
}
