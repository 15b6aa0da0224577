/** The people of a team, who are responsible for its keys. */
import type { MemberState, MembersQuery } from '../generated/graphql.ts';
import { type Search, texts } from '../shell/search.ts';

export type Member = MembersQuery['members']['nodes'][number];

export const stateNames: Readonly<Record<MemberState, string>> = {
  ACTIVE: 'active',
  INACTIVE: 'not seen for 90 days',
  LEFT: 'left',
};
const states = Object.keys(stateNames) as readonly MemberState[];

export const isMemberState = (text: string): text is MemberState => states.some((state) => state === text);

const read = texts(['state']);

/** The search parameters of the page of the members: the state of those that are shown. */
export function membersSearch(search: Search): { readonly state?: MemberState } {
  const { state = '' } = read(search);
  return isMemberState(state) ? { state } : {};
}
