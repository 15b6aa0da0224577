import type { KeyEnv, KeyState } from '../domain/api-key.ts';
import { limits } from '../domain/limits.ts';
import { parseLine } from '../domain/text.ts';
import type { KeySelection } from '../store/key-selection.ts';
import type { Fields } from './fields.ts';

/** Selects keys of a team. A key must meet all given conditions. */
export interface KeyFilter {
  readonly env?: KeyEnv | null | undefined;
  readonly state?: readonly KeyState[] | null | undefined;
  readonly search?: string | null | undefined;
  readonly signingEnabled?: boolean | null | undefined;
  readonly expiresBefore?: Date | null | undefined;
  readonly neverUsed?: boolean | null | undefined;
  readonly unusedSince?: Date | null | undefined;
  readonly externalId?: string | null | undefined;
  readonly tags?: readonly string[] | null | undefined;
}

export function parseKeyFilter(fields: Fields, filter: KeyFilter): Omit<KeySelection, 'teamId' | 'now'> {
  const states = filter.state ?? (['ACTIVE', 'EXPIRED', 'DISABLED'] as const);
  if (states.length === 0) fields.reject('filter.state', 'must have at least one state, or be omitted');
  const search = filter.search == null ? undefined : parseLine(filter.search, limits.searchCharacters);
  if (search?.ok === false) fields.reject('filter.search', search.problem);
  const moment = (name: 'expiresBefore' | 'unusedSince') => {
    const value = filter[name];
    return value == null ? undefined : fields.moment(`filter.${name}`, value);
  };
  const within = fields.within('filter');
  return {
    env: filter.env ?? undefined,
    states,
    search: search?.ok === true ? search.value : undefined,
    signingEnabled: filter.signingEnabled ?? undefined,
    expiresBefore: moment('expiresBefore'),
    neverUsed: filter.neverUsed ?? undefined,
    unusedSince: moment('unusedSince'),
    externalId: filter.externalId == null ? undefined : (within.externalId(filter.externalId) ?? undefined),
    tags: within.tags(filter.tags ?? []),
  };
}
