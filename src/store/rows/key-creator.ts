/** Who created or imported a key, from the first entry of its audit trail. */
import { raw, type Sql, sqltag as sql } from '@prisma/client/runtime/client';
import type { DatabaseProvider } from '../../lib/database-address.ts';
import type { PrismaClient } from '../generated/sqlite/client.ts';
import { textsIn } from '../json-rows.ts';
import { queryStore } from '../unavailable.ts';
import { entriesOf, entryAction } from './entry-list.ts';

function firstActor(provider: DatabaseProvider, keyId: string): Sql {
  const { are, oldestFirst } = entriesOf(provider, 'keyId', raw(keyId));
  return sql`(
    SELECT CASE WHEN ${entryAction} IN ('KEY_CREATED', 'KEY_IMPORTED') THEN a."actor" END
    FROM "AuditEntry" a WHERE ${are} ORDER BY ${oldestFirst} LIMIT 1
  )`;
}

const ofKey = { sqlite: firstActor('sqlite', 'k."id"'), postgresql: firstActor('postgresql', 'k."id"') };

/** Returns SQL for the creator of the key `k`; null if its first entry was purged. Reads one entry by an index. */
export function creatorOf(provider: DatabaseProvider): Sql {
  return ofKey[provider];
}

/** Returns the creators of keys by id, without those whose entry was purged. */
export async function readCreators(
  reader: PrismaClient,
  provider: DatabaseProvider,
  keyIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await queryStore(
    () => reader.$queryRaw<{ readonly id: string; readonly actor: string | null }[]>`
      WITH k("id") AS (${textsIn(provider, keyIds)}) SELECT k."id", ${creatorOf(provider)} AS "actor" FROM k`,
  );
  return new Map(rows.flatMap(({ id, actor }) => (actor === null ? [] : [[id, actor]])));
}
