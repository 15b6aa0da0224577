import { limits } from '../../domain/limits.ts';
import { parseFields, parseOptional } from '../../domain/parse-fields.ts';
import type { ValueField } from '../../store/rows/values-in-use.ts';
import { authorizeTeam, type Caller, type Management } from '../management.ts';
import { type KeyFilter, parseKeyFilter, parseVisible, rulesOfFilter } from './key-filter.ts';

export interface KeyValuesInput {
  readonly teamId: string;
  readonly field: ValueField;
  readonly filter?: KeyFilter | null | undefined;
  readonly search?: string | null | undefined;
}

export interface KeyValues {
  readonly values: readonly { readonly value: string; readonly count: number }[];
  readonly hasMore: boolean;
  readonly isPartial: boolean;
}

/** A search narrows longer lists. */
const maxValues = 100;

/**
 * Returns the values of a field that keys of a team have, the most used ones first. Needs `view_team`.
 * Throws FORBIDDEN, BAD_USER_INPUT (filter, search), UNAVAILABLE.
 */
export async function readKeyValues(
  management: Management,
  caller: Caller,
  { teamId, field, ...input }: KeyValuesInput,
): Promise<KeyValues> {
  authorizeTeam(caller, teamId, 'view_team');
  const rules = await rulesOfFilter(management, teamId, input.filter ?? {});
  const { filter, search } = parseFields({
    filter: parseKeyFilter(input.filter ?? {}, rules),
    search: parseOptional(input.search, (text) => parseVisible(text, limits.externalIdCharacters)),
  });
  const selection = { teamId, now: caller.now, ...filter };
  const { counts, isPartial } = await management.store.keys.values(selection, field, search ?? null);
  const values = [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
  return { values: values.slice(0, maxValues), hasMore: values.length > maxValues, isPartial };
}
