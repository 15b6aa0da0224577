import { memberStates as states } from '../../domain/access/team-member.ts';
import type { MemberState } from '../service/generated/graphql.ts';

/** The states by the names that the options have for them. */
export const memberStates: Readonly<Record<string, MemberState>> = Object.fromEntries(
  states.map((state) => [state.toLowerCase(), state]),
);

export function memberStatesOf(names: readonly string[]): MemberState[] {
  return [...new Set(names)].flatMap((name) => memberStates[name] ?? []);
}
