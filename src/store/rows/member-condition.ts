import { join, type Sql, sqltag as sql } from '@prisma/client/runtime/client';
import { activeSince, type MemberState } from '../../domain/access/team-member.ts';

/** Selects the keys `k` whose responsible person is a member in one of the states, by the primary key of members. */
export function hasResponsibleIn(states: readonly MemberState[], now: Date): Sql {
  const conditionOf: Readonly<Record<MemberState, Sql>> = {
    ACTIVE: sql`(m."leftAt" IS NULL AND m."seenAt" >= ${activeSince(now)})`,
    INACTIVE: sql`(m."leftAt" IS NULL AND m."seenAt" < ${activeSince(now)})`,
    LEFT: sql`m."leftAt" IS NOT NULL`,
  };
  const inStates = join(
    states.map((state) => conditionOf[state]),
    ' OR ',
  );
  return sql`EXISTS (SELECT 1 FROM "TeamMember" m
    WHERE m."teamId" = k."teamId" AND m."subject" = k."responsible" AND (${inStates}))`;
}
