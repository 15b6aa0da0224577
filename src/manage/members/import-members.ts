import { personOf } from '../../domain/access/person.ts';
import { memberStates, type TeamMember } from '../../domain/access/team-member.ts';
import { badInput } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import { parsedList, parseFields, parseOptional } from '../../domain/parse-fields.ts';
import { rejected } from '../../lib/parsed.ts';
import { type Change, Decision } from '../../store/changes/change.ts';
import { forgetFirstLeft, type MembersAmong, membersAmong, writeMember } from '../../store/rows/team-members.ts';
import { inBatches } from '../change/in-batches.ts';
import { authorizeTeam, type Caller, type Management } from '../management.ts';
import { parseActor } from '../read/key-filter.ts';
import { leaveBy } from './leave.ts';

export interface ImportMembersInput {
  readonly teamId: string;
  readonly subjects: readonly string[];
  readonly after?: string | null | undefined;
  readonly upTo?: string | null | undefined;
}

export interface ImportedMembers {
  readonly added: number;
  readonly left: number;
  readonly hasMore: boolean;
}

/**
 * Records that the members of a team who are missing have left, and then adds the people who have access and are not known,
 * as far as there is room: in a part of a list, no more than other parts may leave.
 * An import is no sign-in: who was known stays as long unseen. Needs `manage_keys`.
 * Throws FORBIDDEN, BAD_USER_INPUT (subjects, after, upTo), RATE_LIMITED, UNAVAILABLE.
 */
export async function importMembers(
  { store, budget }: Management,
  caller: Caller,
  input: ImportMembersInput,
): Promise<ImportedMembers> {
  const { teamId } = input;
  const { now } = caller;
  authorizeTeam(caller, teamId, 'manage_keys');
  const { subjects } = parseFields(parse(input));
  budget.check(teamId);
  const current = new Set(subjects);
  const listing = { teamId, states: memberStates, now, after: null, limit: limits.members };
  const known = await store.teamMembers.list(listing);
  const members = new Set(known.flatMap(({ subject, leftAt }) => (leftAt === null ? [subject] : [])));
  const unknown = subjects.filter((subject) => !members.has(subject));
  const missing = [...members].filter((subject) => isWithin(subject, input) && !current.has(subject));
  const leaving = missing.slice(0, limits.membersLeaving);
  if (input.after == null && input.upTo == null) rejectAboveMembers(members.size - missing.length + unknown.length);
  const room = Math.max(0, limits.members - (members.size - leaving.length));
  await inBatches(leaving, (batch) =>
    Promise.all(batch.map((subject) => store.changes.submit(budget.counted(leaveBy(caller, { teamId, subject }))))),
  );
  const added = await inBatches(unknown.slice(0, room), async (batch) => [
    await store.changes.submit(budget.counted(adding(caller, teamId, batch), batch)),
  ]);
  return {
    added: added.reduce((sum, count) => sum + count, 0),
    left: leaving.length,
    hasMore: missing.length > leaving.length || unknown.length > room,
  };
}

/** Returns the change that adds people, or adds them again after they had left, and answers their number. */
function adding(caller: Caller, teamId: string, subjects: readonly string[]): Change<number, MembersAmong> {
  const { now } = caller;
  return {
    queueKey: teamId,
    caller,
    load: membersAmong(teamId, subjects),
    decide: ({ known, count }) => {
      const bySubject = new Map(known.map((member) => [member.subject, member]));
      const added = subjects.flatMap((subject): TeamMember[] => {
        const { seenAt, leftAt } = bySubject.get(subject) ?? { seenAt: now, leftAt: now };
        // Whoever left after this call began has no access anymore.
        return leftAt === null || leftAt > now ? [] : [{ teamId, subject, seenAt, leftAt: null }];
      });
      if (added.length === 0) return new Decision(0);
      rejectAboveMembers(count + added.length);
      return new Decision(added.length, { rows: [...added.map(writeMember), forgetFirstLeft(teamId)] });
    },
  };
}

/** Throws BAD_USER_INPUT if so many people can't have access. Those who left do not count: they are forgotten instead. */
function rejectAboveMembers(count: number): void {
  if (count <= limits.members) return;
  const message = `must leave the team with at most ${limits.members} members`;
  throw badInput([{ field: 'subjects', message }]);
}

function parse(input: ImportMembersInput) {
  const seen = new Set<string>();
  const parseBound = (bound: string | null | undefined) => parseOptional(bound, parseActor);
  return {
    after: parseBound(input.after),
    upTo: parseBound(input.upTo),
    subjects: parsedList(input.subjects, limits.importedMembers, (given) => {
      const subject = personOf(given);
      if (subject.trim() === '') return rejected('must have a visible character');
      if (seen.has(subject)) return rejected('must not be given twice');
      seen.add(subject);
      if (!isWithin(subject, input)) return rejected('must come after `after`, and not after `upTo`');
      return parseActor(subject);
    }),
  };
}

/** Compares code units, because databases and languages order texts in different ways. */
function isWithin(subject: string, { after, upTo }: Pick<ImportMembersInput, 'after' | 'upTo'>): boolean {
  return (after == null || subject > after) && (upTo == null || subject <= upTo);
}
