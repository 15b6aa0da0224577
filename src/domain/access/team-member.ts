/** A person who has or had access to a team. Nothing of a key is decided by this: it says who may have to be replaced. */
import { dayMs } from '../moment.ts';

export interface TeamMember {
  readonly teamId: string;
  /** The subject of the person's sessions. */
  readonly subject: string;
  readonly seenAt: Date;
  readonly leftAt: Date | null;
}

export const memberStates = ['ACTIVE', 'INACTIVE', 'LEFT'] as const;
export type MemberState = (typeof memberStates)[number];

const inactiveDays = 90;

/** Returns the time since when a member must have signed in to be active. */
export function activeSince(now: Date): Date {
  return new Date(now.getTime() - inactiveDays * dayMs);
}

export function memberState({ seenAt, leftAt }: TeamMember, now: Date): MemberState {
  if (leftAt !== null) return 'LEFT';
  return seenAt < activeSince(now) ? 'INACTIVE' : 'ACTIVE';
}
