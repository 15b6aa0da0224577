import { limits } from '../domain/limits.ts';
import type { Fields } from './fields.ts';

/** One page of a list, as Relay's connections have it. */
export interface Page<T> {
  readonly edges: readonly { readonly cursor: string; readonly node: T }[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
}

/** Takes entries that were asked for with one more than the page has, which tells whether there is a next one. */
export function pageOf<Entry, T>(
  entries: readonly Entry[],
  first: number,
  after: string | null | undefined,
  edge: (entry: Entry) => { cursor: string; node: T },
): Page<T> {
  return {
    edges: entries.slice(0, first).map(edge),
    hasNextPage: entries.length > first,
    hasPreviousPage: after != null,
  };
}

export function checkPageSize(fields: Fields, first: number): void {
  if (first < 1 || first > limits.pageSize) fields.refuse('first', `must be from 1 to ${limits.pageSize}`);
}
