/** Finds the keys that a text names, by indexes alone: in any number of keys, and in several teams at once. */
import { join, raw, type Sql, sqltag as sql } from '@prisma/client/runtime/client';
import { prefixBeginnings, type SearchText, wholePrefixes } from '../../domain/key/search-text.ts';
import { spellingsOf } from '../../domain/text.ts';
import type { DatabaseProvider } from '../../lib/database-address.ts';
import { textsIn } from '../json-rows.ts';

/** Imported keys can have the same prefix, and many keys the same external id. */
const maxOfEach = 20;
/** Of other teams' keys too. Few keys of Latchkey's own begin in the same way, but keys can be imported to do so. */
const maxCompared = 2000;
/** Sorts after every end of a prefix, by code points and in the languages that a database sorts by. */
const lastEnd = 'z'.repeat(16);

/** Returns a query for ids of keys of these teams, in no order. `ids` are candidates that were found otherwise. */
export function namedKeys(
  provider: DatabaseProvider,
  teamIds: readonly string[],
  { text, ids, fragments }: SearchText,
  found: readonly string[],
): Sql {
  const teams = textsIn(provider, teamIds);
  const whole = textsIn(provider, [text, ...fragments.flatMap(wholePrefixes)]);
  const external = textsIn(provider, [...spellingsOf(text), ...ids, ...ids.map((id) => id.toUpperCase())]);
  const beginnings = fragments.flatMap(prefixBeginnings);
  const named = [
    sql`"id" IN (${textsIn(provider, [...ids, ...found])})`,
    sql`"prefix" IN (${whole})`,
    sql`"previousPrefix" IN (${whole})`,
    sql`"externalId" IN (${external})`,
  ].map(
    (one) => sql`SELECT "id" FROM "ApiKey" WHERE ${one} AND "teamId" IN (${teams}) LIMIT ${raw(String(maxOfEach))}`,
  );
  const begun = ['"prefix"', '"previousPrefix"'].map((column) => beginning(provider, column, beginnings, teams));
  const all = [...named, ...(beginnings.length === 0 ? [] : begun)].map((one) => sql`SELECT * FROM (${one}) p`);
  return sql`${join(all, ' UNION ')}`;
}

function beginning(provider: DatabaseProvider, name: string, beginnings: readonly string[], teams: Sql): Sql {
  const column = raw(`k.${name}`);
  const json = JSON.stringify(beginnings);
  const begun =
    provider === 'sqlite' ? sql`json_each(${json}) b` : sql`jsonb_array_elements_text(${json}::jsonb) b(value)`;
  return sql`
    SELECT c."id" FROM (
      SELECT k."id", k."teamId" FROM ${begun} JOIN "ApiKey" k
      ON ${column} >= b.value AND ${column} <= b.value || ${lastEnd} LIMIT ${raw(String(maxCompared))}
    ) c WHERE c."teamId" IN (${teams}) LIMIT ${raw(String(maxOfEach))}`;
}
