/** What a search compares of each key of a list, in the SQL of both databases. The key's row is called `k`. */
import { join, raw, type Sql, sqltag as sql } from '@prisma/client/runtime/client';
import { searchable, searchableBefore } from '../../domain/folded-text.ts';
import { type PrefixFragment, type SearchText, wholePrefixes } from '../../domain/key/search-text.ts';
import { limits } from '../../domain/limits.ts';
import { normalized } from '../../domain/normalized.ts';
import type { DatabaseProvider } from '../../lib/database-address.ts';
import { textsIn } from '../json-rows.ts';

/** Selects the keys that the text names by id or prefix, and those with a text that contains it. */
export function isSearched(provider: DatabaseProvider, { text, ids, fragments }: SearchText): Sql {
  const named = ids.length === 0 ? [] : [sql`k."id" IN (${join(ids)})`, sql`lower(k."externalId") IN (${join(ids)})`];
  const prefixed = fragments.map((fragment) => hasFragment(provider, fragment));
  // No longer text of a key can contain it.
  const isShort = text.length <= limits.descriptionCharacters;
  return sql`(${join([...named, ...prefixed, ...(isShort ? [contains(provider, text)] : []), raw('FALSE')], ' OR ')})`;
}

/** Earlier prefixes than the previous one are with the secrets that were rotated, which are read by key. */
function hasFragment(provider: DatabaseProvider, fragment: PrefixFragment): Sql {
  const { start, random } = fragment;
  const beginning = (start + random).toLowerCase();
  const whole = textsIn(provider, wholePrefixes(fragment));
  const has = (column: string) =>
    sql`(substr(lower(${raw(column)}), 1, ${raw(String(beginning.length))}) = ${beginning} OR ${raw(column)} IN (${whole}))`;
  return sql`(${has('k."prefix"')} OR COALESCE(${has('k."previousPrefix"')}, FALSE) OR k."secretVersion" > 2 AND EXISTS (
    SELECT 1 FROM "RotatedSecret" r WHERE r."keyId" = k."id" AND ${has('r."prefix"')}))`;
}

function contains(provider: DatabaseProvider, text: string): Sql {
  // Not LIKE, which takes SQLite ten times as long on a name of one repeated letter.
  const position = raw(provider === 'sqlite' ? 'instr' : 'strpos');
  const folded = [...new Set([searchable(text), searchableBefore(text)])];
  const inName = folded.map((one) => sql`${position}(k."searchText", ${one}) > 0`);
  // Of these, no folded text is stored: only the case of ASCII letters is ignored, on both databases.
  const written = [...new Set([text, normalized(text), text.toLowerCase()].map(asciiLower))];
  const others = written.flatMap((one) => [
    sql`COALESCE(${position}(${lower(provider, 'k."externalId"')}, ${one}) > 0, FALSE)`,
    sql`COALESCE(${position}(${lower(provider, 'k."description"')}, ${one}) > 0, FALSE)`,
    // The quotes and brackets of the list are no text of a tag.
    ...(/[\p{L}\p{N}]/u.test(one)
      ? [sql`${position}(${lower(provider, 'k."tags"')}, ${JSON.stringify(one).slice(1, -1)}) > 0`]
      : []),
  ]);
  return join([...inName, ...others], ' OR ');
}

function lower(provider: DatabaseProvider, column: string): Sql {
  return raw(provider === 'sqlite' ? `lower(${column})` : `lower(CAST(${column} AS TEXT) COLLATE "C")`);
}

function asciiLower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
