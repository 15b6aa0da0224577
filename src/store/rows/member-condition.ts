import { join, type Sql, sqltag as sql } from '@prisma/client/runtime/client';
import { activeSince, type MemberState } from '../../domain/access/team-member.ts';

/** The comparisons of `memberState` (domain/access/team-member.ts) in SQL. The member's row is `m`. */
export function isInState(states: readonly MemberState[], now: Date): Sql {
  const conditionOf: Readonly<Record<MemberState, Sql>> = {
    ACTIVE: sql`(m."leftAt" IS NULL AND m."seenAt" >= ${activeSince(now)})`,
    INACTIVE: sql`(m."leftAt" IS NULL AND m."seenAt" < ${activeSince(now)})`,
    LEFT: sql`m."leftAt" IS NOT NULL`,
  };
  const conditions = states.map((state) => conditionOf[state]);
  return sql`(${join(conditions, ' OR ')})`;
}

/** Selects the keys `k` whose responsible person is a member in one of the states, by the primary key of members. */
export function hasResponsibleIn(states: readonly MemberState[], now: Date): Sql {
  return sql`EXISTS (SELECT 1 FROM "TeamMember" m
    WHERE m."teamId" = k."teamId" AND m."subject" = k."responsible" AND ${isInState(states, now)})`;
}
