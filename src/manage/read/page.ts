import { limits } from '../../domain/limits.ts';
import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';

/** One page of a list, as in Relay's cursor connections. */
export interface Page<T = unknown> {
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
 * Reads a page of at most `first` entries. It ends early, with at least one entry, if the texts would make a long response.
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

/** The position of the last entry of a page: the values that the page is ordered by. Opaque to callers. */
export type CursorValue = string | number | null;

export function encodeCursor(values: readonly CursorValue[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

/** A name of 100 characters can have 3,300 bytes in its searchable form. */
const maxCursorLength = 8192;

/** Returns the values of a cursor, or null for an invalid one. The caller checks that they fit the requested order. */
export function decodeCursor(text: string): CursorValue[] | null {
  if (text.length > maxCursorLength || !/^[\w-]+$/.test(text)) return null;
  try {
    const values: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return Array.isArray(values) && values.every(isCursorValue) ? values : null;
  } catch {
    return null;
  }
}

function isCursorValue(value: unknown): value is CursorValue {
  return value === null || typeof value === 'string' || typeof value === 'number';
}
