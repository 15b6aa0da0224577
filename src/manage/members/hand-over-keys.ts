import { settings } from '../../domain/key/settings.ts';
import { limits } from '../../domain/limits.ts';
import { parseFields } from '../../domain/parse-fields.ts';
import { parseSearched } from '../../domain/text.ts';
import { newestFirst } from '../../store/rows/key-selection.ts';
import { type ChangedKeys, changeKeys } from '../change/change-keys.ts';
import { authorizeTeam, type Caller, type Management } from '../management.ts';
import { parseKeyFilter } from '../read/key-filter.ts';
import { pageTextBytes } from '../read/page.ts';
import { unrevoked } from './read-members.ts';

export interface HandOverInput {
  readonly teamId: string;
  readonly from: string;
  readonly to: string;
}

export interface HandedOver extends ChangedKeys {
  readonly hasMore: boolean;
}

/**
 * Makes another person or team responsible for keys, as `changeKeys` does. Needs `manage_keys`.
 * Throws FORBIDDEN, BAD_USER_INPUT (from, to), RATE_LIMITED, UNAVAILABLE.
 */
export async function handOverKeys(
  management: Management,
  caller: Caller,
  { teamId, from, to }: HandOverInput,
): Promise<HandedOver> {
  authorizeTeam(caller, teamId, 'manage_keys');
  const parsed = parseFields({
    from: parseSearched(from, limits.responsibleCharacters),
    to: settings.responsible.parse(to),
  });
  const { to: responsible } = parsed;
  const { filter: selection } = parseFields({
    filter: parseKeyFilter({ responsible: parsed.from, state: unrevoked }, null),
  });
  const { keys } = management.store;
  const limit = limits.handedOverKeys;
  const listing = { ...selection, teamId, now: caller.now, orderBy: newestFirst, limit: limit + 1 };
  const { textBytes, read, end } = await keys.search(listing, pageTextBytes);
  const found = await read(Math.min(textBytes.length, limit));
  const { results } = await changeKeys(management, caller, {
    teamId,
    action: 'UPDATE',
    keys: found.map(({ key }) => ({ id: key.id, settings: { responsible } })),
  });
  const isPartial = results.some(({ outcome }) => outcome === 'NOT_ATTEMPTED');
  return { results, hasMore: textBytes.length > limit || end !== null || isPartial };
}
