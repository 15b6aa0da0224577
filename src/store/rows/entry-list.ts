/** SQL for lists of entries of the audit trail, in the order in which an index has them. */
import { raw, type Sql, sqltag as sql } from '@prisma/client/runtime/client';
import type { DatabaseProvider } from '../../lib/database-address.ts';

/** SQL for what happened, also in entries whose kind has no value in the column `action`. */
export const entryAction = raw('COALESCE("event", CAST("action" AS TEXT))');

/**
 * Returns SQL for the entries `a` of a team or a key, and their orders by revision, as an index has them. PostgreSQL would
 * often choose the primary key, by which it reads the entries of all others too: it can't if the column is part of the
 * order.
 */
export function entriesOf(provider: DatabaseProvider, column: 'teamId' | 'keyId', id: Sql | string) {
  const owner = raw(`a."${column}"`);
  if (provider === 'sqlite') return { are: sql`${owner} = ${id}`, ...byRevision };
  return {
    are: sql`${owner} = ANY(ARRAY[${id}])`,
    oldestFirst: sql`${owner} DESC, ${byRevision.oldestFirst}`,
    newestFirst: sql`${owner}, ${byRevision.newestFirst}`,
  };
}

export const byRevision = { oldestFirst: sql`a."revision"`, newestFirst: sql`a."revision" DESC` } as const;
