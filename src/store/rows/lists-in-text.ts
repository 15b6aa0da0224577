/** Lists that a database returns as one text, because rows cost three times as much. */
import { join, type Sql, sqltag as sql } from '@prisma/client/runtime/client';
import { type IndexedOrder, orderOf } from './key-selection.ts';

/**
 * Aggregates entries of the keys that meet conditions, in an order if it matters. The parts of an entry have colons between
 * them, and no commas.
 */
export function listOf(entry: Sql, where: readonly Sql[], orderBy?: IndexedOrder): Sql {
  const order = orderBy === undefined ? sql`` : sql` ORDER BY ${orderOf(orderBy)}`;
  return sql`string_agg(${entry}, ','${order})${filter(where)}`;
}

export function filter(where: readonly Sql[]): Sql {
  return where.length === 0 ? sql`` : sql` FILTER (WHERE ${join(where, ' AND ')})`;
}

/** Returns the parts of each entry. */
export function partsOf(list: unknown): readonly (readonly string[])[] {
  return typeof list === 'string' ? list.split(',').map((entry) => entry.split(':')) : [];
}
