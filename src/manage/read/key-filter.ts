import type { KeyEnv, KeyState } from '../../domain/key/api-key.ts';
import { settings } from '../../domain/key/settings.ts';
import { limits } from '../../domain/limits.ts';
import { parseMoment } from '../../domain/moment.ts';
import { type ParsedFields, parsedObject, parseOptional } from '../../domain/parse-fields.ts';
import { parseLine } from '../../domain/text.ts';
import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';
import type { KeySelection } from '../../store/rows/key-selection.ts';

/** Selects keys of a team. A key must meet all given conditions. */
export interface KeyFilter {
  readonly env?: KeyEnv | null | undefined;
  readonly state?: readonly KeyState[] | null | undefined;
  readonly search?: string | null | undefined;
  readonly signingEnabled?: boolean | null | undefined;
  readonly expiresBefore?: Date | null | undefined;
  readonly expiresAfter?: Date | null | undefined;
  readonly createdBefore?: Date | null | undefined;
  readonly neverUsed?: boolean | null | undefined;
  readonly unusedSince?: Date | null | undefined;
  readonly externalId?: string | null | undefined;
  readonly tags?: readonly string[] | null | undefined;
}

type States = readonly KeyState[];

/** @param checkStates rejects states that the use case does not allow */
export function parseKeyFilter(
  filter: KeyFilter,
  checkStates: (states: States) => Parsed<States> = accepted,
): ParsedFields<Omit<KeySelection, 'teamId' | 'now'>> {
  const states = filter.state ?? ['ACTIVE', 'EXPIRED', 'DISABLED'];
  const parsed = parsedObject({
    state: states.length === 0 ? rejected('must have at least one state, or be omitted') : checkStates(states),
    search: parseOptional(filter.search, (text) => parseLine(text, limits.searchCharacters)),
    expiresBefore: parseOptional(filter.expiresBefore, parseMoment),
    expiresAfter: parseOptional(filter.expiresAfter, parseMoment),
    createdBefore: parseOptional(filter.createdBefore, parseMoment),
    unusedSince: parseOptional(filter.unusedSince, parseMoment),
    externalId: parseOptional(filter.externalId, settings.externalId.parse),
    tags:
      filter.tags?.length === 0
        ? rejected('must have at least one tag, or be omitted')
        : settings.tags.parse(filter.tags ?? []),
  });
  if (!parsed.ok) return parsed;
  const { state, search, expiresBefore, expiresAfter, createdBefore, unusedSince, externalId, tags } = parsed.value;
  return accepted({
    env: filter.env ?? undefined,
    states: state,
    search: search ?? undefined,
    signingEnabled: filter.signingEnabled ?? undefined,
    expiresBefore: expiresBefore ?? undefined,
    expiresAfter: expiresAfter ?? undefined,
    createdBefore: createdBefore ?? undefined,
    neverUsed: filter.neverUsed ?? undefined,
    unusedSince: unusedSince ?? undefined,
    externalId: externalId ?? undefined,
    tags,
  });
}
