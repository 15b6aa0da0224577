import type { TeamMember } from '../../domain/access/team-member.ts';
import { noSubject } from '../../domain/audit-entry.ts';
import { type Change, type ChangeCaller, Decision, type NewEntry } from '../../store/changes/change.ts';
import { forgetFirstLeft, memberWith, writeMember } from '../../store/rows/team-members.ts';
import { type Caller, entryBy } from '../management.ts';

/** Who or what says that a person has left, and when. */
export type LeaveEntry = Pick<NewEntry, 'actor' | 'actorKind' | 'credentialId' | 'source' | 'requestId' | 'at'>;

/**
 * Records that a person has no access to a team anymore, with an entry that tells the team. Changes nothing if the person
 * had left.
 */
export function leave(
  { teamId, subject }: Pick<TeamMember, 'teamId' | 'subject'>,
  by: LeaveEntry,
  caller?: ChangeCaller,
): Change<TeamMember, TeamMember | null> {
  return {
    queueKey: teamId,
    caller,
    load: memberWith(teamId, subject),
    decide: (known) => {
      if (known !== null && known.leftAt !== null) return new Decision(known);
      const member = { teamId, subject, seenAt: known?.seenAt ?? by.at, leftAt: by.at };
      const entry: NewEntry = {
        ...by,
        action: 'MEMBER_LEFT',
        keyId: noSubject,
        teamId,
        changes: [],
        details: { member: { subject } },
      };
      return new Decision(member, { entries: [entry], rows: [writeMember(member), forgetFirstLeft(teamId)] });
    },
  };
}

export function leaveBy(caller: Caller, member: Pick<TeamMember, 'teamId' | 'subject'>) {
  return leave(member, entryBy(caller), caller);
}
