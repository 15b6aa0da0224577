import { type MemberState, memberStates, type TeamMember } from '../../domain/access/team-member.ts';
import { parseFields, parseOptional } from '../../domain/parse-fields.ts';
import { hasControlCharacters } from '../../domain/text.ts';
import { accepted, type Parsed, rejected } from '../../lib/parsed.ts';
import type { Store } from '../../store/store.ts';
import { authorizeTeam, type Caller, type Management } from '../management.ts';
import { decodeCursor, encodeCursor, type Page, parsePageSize, readPage } from '../read/page.ts';
import { parseMemberStates } from './member-states.ts';

/** A member, with the number of keys that the person is responsible for. */
export interface CountedMember extends TeamMember {
  readonly countKeys: () => Promise<number>;
}

export type MemberPage = Page<CountedMember>;

export interface MembersInput {
  readonly teamId: string;
  readonly state?: readonly MemberState[] | null | undefined;
  readonly first: number;
  readonly after?: string | null | undefined;
}

/**
 * Returns a page of the people who have or had access to a team, by their subjects. Needs `view_team`.
 * Throws FORBIDDEN, BAD_USER_INPUT (state, first, after), UNAVAILABLE.
 */
export async function readMembers({ store }: Management, caller: Caller, input: MembersInput): Promise<MemberPage> {
  const { teamId, first } = input;
  authorizeTeam(caller, teamId, 'view_team');
  const { state, after } = parseFields({
    state: parseMemberStates(input.state ?? memberStates),
    first: parsePageSize(first),
    after: parseOptional(input.after, parseCursor),
  });
  const found = await store.teamMembers.list({ teamId, states: state, now: caller.now, after, limit: first + 1 });
  const members = counted(store, teamId, caller.now, found);
  return await readPage(
    input,
    found.map(({ subject }) => Buffer.byteLength(subject)),
    async (count) => members.slice(0, count),
    (member) => ({ node: member, cursor: encodeCursor([cursorName, member.subject]) }),
  );
}

/** Adds the counts, which are read together, once, and only if one is asked for. */
export function counted(
  { keys }: Store,
  teamId: string,
  now: Date,
  members: readonly TeamMember[],
): readonly CountedMember[] {
  let counts: Promise<ReadonlyMap<string, number>> | undefined;
  const read = async () => (await keys.values({ teamId, now, states: unrevoked }, 'RESPONSIBLE', null)).counts;
  return members.map((member) => ({
    ...member,
    countKeys: async () => {
      counts ??= read();
      return (await counts).get(member.subject) ?? 0;
    },
  }));
}

export const unrevoked = ['ACTIVE', 'EXPIRED', 'DISABLED'] as const;

const cursorName = 'MEMBER';

function parseCursor(cursor: string): Parsed<string> {
  const [name, subject, ...more] = decodeCursor(cursor) ?? [];
  const isOfThisList = name === cursorName && typeof subject === 'string' && more.length === 0;
  return isOfThisList && !hasControlCharacters(subject) ? accepted(subject) : rejected('must be a cursor of this list');
}
