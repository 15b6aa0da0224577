import { limits } from '../../domain/limits.ts';
import type { OpaqueRevisions } from '../../domain/opaque-revisions.ts';
import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';
import { tryParseJson } from '../../lib/try-parse-json.ts';

/** One page of a list, as in Relay's cursor connections. */
export interface Page<T = unknown> {
  readonly edges: readonly { readonly cursor: string; readonly node: T }[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  /** The cursor of the last entry that was compared with the conditions, if the page ends with an earlier entry. */
  readonly endCursor?: string;
}

export interface PageInput {
  readonly first: number;
  readonly after?: string | null | undefined;
}

/** Room for two of the longest keys, or for the longest audit entry. Each of their lists fits into a request body. */
export const pageTextBytes = 128 * 1024;

/**
 * Reads a page of at most `first` entries. A page has fewer entries, but at least one, if their texts are long.
 * @param sizes the text size in bytes of each entry of the page and, if there are more entries, of the next entry
 * @param read reads the first entries, as many as its parameter says
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
    // If all entries were deleted meanwhile, there is no cursor to continue with.
    hasNextPage: entries.length > 0 && sizes.length > count,
    hasPreviousPage: after != null,
  };
}

/** Returns how many entries fit into `pageTextBytes`, at least one. */
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

/** One of the values that give the position of an entry in the order of a list. Cursors are opaque to callers. */
export type CursorValue = string | number | null;

export function encodeCursor(values: readonly CursorValue[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

/** A name of 100 characters can have 3,300 bytes in its searchable form. */
const maxCursorLength = 8192;

/** Returns the values of a cursor; null if it is invalid. The caller checks that the values fit the requested order. */
export function decodeCursor(text: string): CursorValue[] | null {
  if (text.length > maxCursorLength || !/^[\w-]+$/.test(text)) return null;
  const values = tryParseJson(Buffer.from(text, 'base64url').toString('utf8'));
  return Array.isArray(values) && values.every(isCursorValue) ? values : null;
}

function isCursorValue(value: unknown): value is CursorValue {
  return value === null || typeof value === 'string' || typeof value === 'number';
}

/** Returns the cursors of a list that is ordered by revision. Its name keeps those of other lists out. */
export function revisionCursors(list: string, revisions: OpaqueRevisions) {
  return {
    encode: (revision: bigint) => encodeCursor([list, revisions.encode(revision)]),
    parse: (cursor: string): Parsed<bigint> => {
      const [name, encoded, ...more] = decodeCursor(cursor) ?? [];
      const isOfThisList = name === list && typeof encoded === 'string' && more.length === 0;
      const revision = isOfThisList ? revisions.decode(encoded) : null;
      return revision === null ? rejected('must be a cursor of this list') : accepted(revision);
    },
  };
}
