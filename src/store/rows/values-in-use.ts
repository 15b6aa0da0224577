/** Counts the values that a field has in the keys of a list. */
import { raw, type Sql, sqltag as sql } from '@prisma/client/runtime/client';
import { searchable } from '../../domain/folded-text.ts';
import type { DatabaseProvider } from '../../lib/database-address.ts';
import { creatorOf } from './key-creator.ts';
import type { KeyScan } from './key-scan.ts';
import { conditions, type KeySelection, newestFirst } from './key-selection.ts';
import { filter } from './lists-in-text.ts';

export type ValueField = 'ENV' | 'TAG' | 'SCOPE' | 'EXTERNAL_ID' | 'RESPONSIBLE' | 'CREATED_BY';

export interface ValuesInUse {
  readonly counts: ReadonlyMap<string, number>;
  /** Whether keys or values were left out, because there are more than one operation reads. */
  readonly isPartial: boolean;
}

/** A team can have 20 different tags for each key: a megabyte of them would be sorted for a list of a hundred. */
const maxValues = 10_000;

/** @param search counts only values that contain it, ignoring case and accents */
export async function countValues(
  scan: KeyScan,
  provider: DatabaseProvider,
  selection: KeySelection,
  field: ValueField,
  search: string | null,
): Promise<ValuesInUse> {
  const counts = new Map<string, number>();
  const wanted = search === null ? null : searchable(search);
  let isPartial = false;
  const where = filter(conditions(provider, selection));
  const values = sql`CAST(${aggregates[provider]}(${valueIn(provider, field)})${where} AS TEXT)`;
  const end = await scan.run({ selection, orderBy: newestFirst }, { values }, (chunk) => {
    const parsed: (string | null | string[])[] = JSON.parse(String(chunk.values ?? '[]'));
    for (const value of parsed.flat()) {
      if (value === null) continue;
      const count = counts.get(value);
      if (count === undefined && wanted !== null && !searchable(value).includes(wanted)) continue;
      if (count === undefined && counts.size >= maxValues) isPartial = true;
      else counts.set(value, (count ?? 0) + 1);
    }
    return true;
  });
  return { counts, isPartial: isPartial || end !== null };
}

const aggregates = { sqlite: raw('json_group_array'), postgresql: raw('jsonb_agg') };

function valueIn(provider: DatabaseProvider, field: ValueField): Sql {
  if (field === 'CREATED_BY') return creatorOf(provider);
  if (field === 'ENV') return raw('CAST(k."env" AS TEXT)');
  if (field === 'EXTERNAL_ID') return raw('k."externalId"');
  if (field === 'RESPONSIBLE') return raw('k."responsible"');
  const list = field === 'TAG' ? 'k."tags"' : 'k."scopes"';
  return raw(provider === 'sqlite' ? `json(${list})` : list);
}
