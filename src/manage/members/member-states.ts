import type { MemberState } from '../../domain/access/team-member.ts';
import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';

export function parseMemberStates(states: readonly MemberState[]): Parsed<readonly MemberState[]> {
  const isSet = states.length > 0 && new Set(states).size === states.length;
  return isSet ? accepted(states) : rejected('must have at least one state, each once, or be omitted');
}
