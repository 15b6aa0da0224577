import { searchable } from '../../domain/folded-text.ts';
import type { KeyState } from '../../domain/key/api-key.ts';
import { parseScope } from '../../domain/key/scope.ts';
import { parseSearchText, type SearchText } from '../../domain/key/search-text.ts';
import { parseDistinct } from '../../domain/key/settings.ts';
import { limits } from '../../domain/limits.ts';
import { parseMoment } from '../../domain/moment.ts';
import { type ParsedFields, parsedObject, parseOptional } from '../../domain/parse-fields.ts';
import type { TeamRules } from '../../domain/policy/team-policies.ts';
import { hasControlCharacters, parseSearched } from '../../domain/text.ts';
import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';
import type { KeyConditions, KeySelection } from '../../store/rows/key-selection.ts';
import type { Management } from '../management.ts';
import { parseMemberStates } from '../members/member-states.ts';
import { readRulesOfTeam } from '../policy/team-rules.ts';

/** Selects keys of a team. A key must meet all given conditions. */
export interface KeyFilter extends Omit<KeyConditions, 'search' | 'violating'> {
  readonly search?: string | null | undefined;
  readonly violating?: boolean | null | undefined;
  readonly state?: readonly KeyState[] | null | undefined;
}

type States = readonly KeyState[];

/** Reads the rules of a team, if a filter needs them. */
export async function rulesOfFilter(management: Management, teamId: string, { violating }: KeyFilter) {
  return violating == null ? null : await readRulesOfTeam(management, teamId);
}

/**
 * @param rules from `rulesOfFilter`
 * @param checkStates rejects states that the use case does not allow
 */
export function parseKeyFilter(
  { state, tags, scopes, violating, ...filter }: KeyFilter,
  rules: TeamRules | null,
  checkStates: (states: States) => Parsed<States> = accepted,
): ParsedFields<Omit<KeySelection, 'teamId' | 'now'>> {
  const states = state ?? ['ACTIVE', 'EXPIRED', 'DISABLED'];
  const parsed = parsedObject({
    state: states.length === 0 ? rejected('must have at least one state, or be omitted') : checkStates(states),
    search: parseOptional(filter.search, parseSearch),
    expiresBefore: parseOptional(filter.expiresBefore, parseMoment),
    expiresAfter: parseOptional(filter.expiresAfter, parseMoment),
    createdBefore: parseOptional(filter.createdBefore, parseMoment),
    unusedSince: parseOptional(filter.unusedSince, parseMoment),
    externalId: parseOptional(filter.externalId, (id) => parseSearched(id, limits.externalIdCharacters)),
    responsible: parseOptional(filter.responsible, (name) => parseSearched(name, limits.responsibleCharacters)),
    responsibleState: parseOptional(filter.responsibleState, parseMemberStates),
    createdBy: parseOptional(filter.createdBy, parseActor),
    tags: parseOptional(tags, (list) =>
      parseSome('tag', list, limits.tags, (tag) => parseSearched(tag, limits.tagCharacters)),
    ),
    scopes: parseOptional(scopes, (list) => parseSome('scope', list, limits.scopes, parseScope)),
  });
  if (!parsed.ok) return parsed;
  const { state: checked, ...conditions } = parsed.value;
  return accepted({ ...filter, ...conditions, violating: violatingOf(violating, rules), states: checked });
}

/** Without the rules, a filter would select more keys: a bulk revocation would revoke those that violate nothing. */
function violatingOf(is: boolean | null | undefined, rules: TeamRules | null): KeyConditions['violating'] {
  if (is == null) return null;
  if (rules === null) throw new TypeError('the filter `violating` needs the rules of the team');
  return { is, rules };
}

function parseSome(what: string, list: readonly string[], max: number, parse: (text: string) => Parsed<string>) {
  return list.length === 0
    ? rejected(`must have at least one ${what}, or be omitted`)
    : parseDistinct(list, max, parse);
}

/** A pasted text can have line breaks. */
export function parseSearch(text: string): Parsed<SearchText> {
  const line = parseVisible(text.replace(/\s+/g, ' '), limits.searchCharacters);
  return line.ok ? accepted(parseSearchText(line.value)) : line;
}

/** Every key has the empty text, so it can't be searched for. */
export function parseVisible(text: string, maxCharacters: number): Parsed<string> {
  const parsed = parseSearched(text, maxCharacters);
  return parsed.ok && searchable(parsed.value) === '' ? rejected('must have a visible character') : parsed;
}

/** Applies the limits for subjects of session tokens. Does not trim, because subjects are stored untrimmed. */
export function parseActor(actor: string): Parsed<string> {
  const isActor = actor.length >= 1 && actor.length <= 255 && !hasControlCharacters(actor);
  return isActor ? accepted(actor) : rejected('must have 1 to 255 characters, and no control characters');
}
