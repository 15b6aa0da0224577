/**
 * Instances of older versions ignore what they don't know: that a key is disabled, or that a cached secret was rotated.
 * During a rolling upgrade they would accept such a key after the change was answered. PostgreSQL shows their
 * connections by name, so these changes are rejected until the last old instance has stopped. An old version can't start
 * anymore then, because it does not know the database's last migration.
 *
 * A version whose data plane ignores a change that this one makes gets other names here, and adds the present ones to
 * `olderNames`.
 */

import type { PrismaClient } from '../generated/sqlite/client.ts';
import type { BulkDialect } from './bulk-rows.ts';

/** The names of our connections (`application_name`). */
export const connectionNames = { management: 'latchkey 2', verification: 'latchkey 2 verification' } as const;

const olderNames = ['latchkey', 'latchkey verification'] as const;

const select = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
  AND application_name IN (${olderNames.map((name) => `'${name}'`).join(', ')}) LIMIT 1`;

/** On SQLite there are none: a new version replaces the processes of the old one before it migrates the database. */
export async function hasOlderInstances(provider: BulkDialect, reader: PrismaClient): Promise<boolean> {
  if (provider === 'sqlite') return false;
  return (await reader.$queryRawUnsafe<unknown[]>(select)).length > 0;
}
