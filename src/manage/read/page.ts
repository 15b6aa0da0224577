import { limits } from '../../domain/limits.ts';
import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';

/** One page of a list, as in Relay's cursor connections. */
export interface Page<T> {
  readonly edges: readonly { readonly cursor: string; readonly node: T }[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  /** The cursor of the last entry that the page covers, if that is not the last one that it has. */
  readonly endCursor?: string;
}

export interface PageInput {
  readonly first: number;
  readonly after?: string | null | undefined;
}

/** The maximum text of two keys, or of one audit entry: each list was sent in one body. */
const pageTextBytes = 128 * 1024;

/**
 * Reads a page of at most `first` entries. The page ends early, with at least one entry, if the texts would make a long
 * response. Relay's connections allow that: a caller continues while there is a next page.
 *
 * @param sizes the text size of each entry in bytes, of one entry more than a page has if there are more
 * @param read reads the first entries of these
 */
export async function readPage<Entry, T>(
  { first, after }: PageInput,
  sizes: readonly number[],
  read: (count: number) => Promise<readonly Entry[]>,
  edge: (entry: Entry) => { cursor: string; node: T },
): Promise<Page<T>> {
  const count = Math.min(first, entriesWithin(sizes));
  const entries = await read(count);
  return {
    edges: entries.map(edge),
    // Without an entry, because all were deleted meanwhile, there would be no cursor to continue with.
    hasNextPage: entries.length > 0 && sizes.length > count,
    hasPreviousPage: after != null,
  };
}

/** Returns how many of the entries, at least one, have texts of a limited size together. */
export function entriesWithin(sizes: readonly number[]): number {
  let bytes = 0;
  const tooMany = sizes.findIndex((size) => {
    bytes += size;
    return bytes > pageTextBytes;
  });
  return tooMany < 0 ? sizes.length : Math.max(tooMany, 1);
}

export function parsePageSize(first: number): Parsed<number> {
  const isWithin = first >= 1 && first <= limits.pageSize;
  return isWithin ? accepted(first) : rejected(`must be from 1 to ${limits.pageSize}`);
}
