import type { KeyState } from '../../domain/key/api-key.ts';
import { settings } from '../../domain/key/settings.ts';
import { limits } from '../../domain/limits.ts';
import { parseMoment } from '../../domain/moment.ts';
import { type ParsedFields, parsedObject, parseOptional } from '../../domain/parse-fields.ts';
import { parseLine } from '../../domain/text.ts';
import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';
import type { KeyConditions, KeySelection } from '../../store/rows/key-selection.ts';

/** Selects keys of a team. A key must meet all given conditions. */
export interface KeyFilter extends KeyConditions {
  readonly state?: readonly KeyState[] | null | undefined;
}

type States = readonly KeyState[];

/** @param checkStates rejects states that the use case does not allow */
export function parseKeyFilter(
  { state, env, signingEnabled, rotating, neverUsed, ...filter }: KeyFilter,
  checkStates: (states: States) => Parsed<States> = accepted,
): ParsedFields<Omit<KeySelection, 'teamId' | 'now'>> {
  const states = state ?? ['ACTIVE', 'EXPIRED', 'DISABLED'];
  const parsed = parsedObject({
    state: states.length === 0 ? rejected('must have at least one state, or be omitted') : checkStates(states),
    search: parseOptional(filter.search, (text) => parseLine(text, limits.searchCharacters)),
    expiresBefore: parseOptional(filter.expiresBefore, parseMoment),
    expiresAfter: parseOptional(filter.expiresAfter, parseMoment),
    createdBefore: parseOptional(filter.createdBefore, parseMoment),
    unusedSince: parseOptional(filter.unusedSince, parseMoment),
    externalId: parseOptional(filter.externalId, settings.externalId.parse),
    tags: parseOptional(filter.tags, (tags) =>
      tags.length === 0 ? rejected('must have at least one tag, or be omitted') : settings.tags.parse(tags),
    ),
  });
  if (!parsed.ok) return parsed;
  const { state: checked, ...conditions } = parsed.value;
  return accepted({ ...conditions, env, signingEnabled, rotating, neverUsed, states: checked });
}
