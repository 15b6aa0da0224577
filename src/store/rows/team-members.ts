import { sqltag as sql } from '@prisma/client/runtime/client';
import type { MemberState, TeamMember } from '../../domain/access/team-member.ts';
import { limits } from '../../domain/limits.ts';
import type { Load, RowWrite } from '../changes/change.ts';
import type { ChangeQueue } from '../changes/change-queue.ts';
import type { Prisma, PrismaClient } from '../generated/sqlite/client.ts';
import { queryStore } from '../unavailable.ts';
import { isInState } from './member-condition.ts';

/** A person has signed in with access to a team. */
export interface SeenMember {
  readonly teamId: string;
  readonly subject: string;
  readonly at: Date;
  /** Of those who left, only who had left until then is a member again: a session can outlast the access. */
  readonly returnsIfLeftBy: Date;
}

export interface MemberListing {
  readonly teamId: string;
  readonly states: readonly MemberState[];
  readonly now: Date;
  readonly after: string | null;
  readonly limit: number;
}

/** Dates as the driver returns them. */
interface RawMember {
  readonly subject: string;
  readonly seenAt: Date | string;
  readonly leftAt: Date | string | null;
}

/** For who leaves. Null for a person of whom nothing is known. */
export function memberWith(teamId: string, subject: string): Load<TeamMember | null> {
  return { read: ({ teamMember }) => teamMember.findUnique({ where: { teamId_subject: { teamId, subject } } }) };
}

export interface MembersAmong {
  /** Those of the people of whom something is known. */
  readonly known: readonly TeamMember[];
  /** The number of all who have access to the team. */
  readonly count: number;
}

/** For people who are added. */
export function membersAmong(teamId: string, subjects: readonly string[]): Load<MembersAmong> {
  return {
    read: async ({ teamMember }) => ({
      known: await teamMember.findMany({ where: { teamId, subject: { in: [...subjects] } } }),
      count: await teamMember.count({ where: { teamId, leftAt: null } }),
    }),
  };
}

export function writeMember(member: TeamMember): RowWrite {
  const { teamId, subject, ...data } = member;
  const where = { teamId_subject: { teamId, subject } };
  return ({ transaction }) => transaction.teamMember.upsert({ where, create: member, update: data });
}

/** Forgets those who left first, so that a team with many of them can go on adding people. Comes after what it makes room for. */
export function forgetFirstLeft(teamId: string): RowWrite {
  return ({ transaction }) => forgetIn(transaction, teamId);
}

async function forgetIn({ teamMember }: Prisma.TransactionClient, teamId: string): Promise<void> {
  const excess = (await teamMember.count({ where: { teamId } })) - limits.members;
  if (excess <= 0) return;
  const where = { teamId, leftAt: { not: null } };
  const first = await teamMember.findMany({ where, orderBy: { leftAt: 'asc' }, take: excess });
  await teamMember.deleteMany({ where: { teamId, subject: { in: first.map(({ subject }) => subject) } } });
}

/** The people who have or had access to teams. */
export class TeamMembers {
  readonly #reader: PrismaClient;
  readonly #changes: ChangeQueue;

  constructor(reader: PrismaClient, changes: ChangeQueue) {
    this.#reader = reader;
    this.#changes = changes;
  }

  /** Lists the members of a team by their subjects. A team has at most `limits.members`. */
  async list({ teamId, states, now, after, limit }: MemberListing): Promise<TeamMember[]> {
    const isAfter = after === null ? sql`` : sql`AND m."subject" > ${after}`;
    const rows = await queryStore(
      () => this.#reader.$queryRaw<RawMember[]>`
        SELECT m."subject", m."seenAt", m."leftAt" FROM "TeamMember" m
        WHERE m."teamId" = ${teamId} AND ${isInState(states, now)} ${isAfter} ORDER BY m."subject" LIMIT ${limit}`,
    );
    return rows.map(({ subject, seenAt, leftAt }) => ({
      teamId,
      subject,
      seenAt: new Date(seenAt),
      leftAt: leftAt === null ? null : new Date(leftAt),
    }));
  }

  async find(teamId: string, subject: string): Promise<TeamMember | null> {
    const where = { teamId_subject: { teamId, subject } };
    return await queryStore(() => this.#reader.teamMember.findUnique({ where }));
  }

  /** The number of those who have or had access to a team. */
  async count(teamId: string): Promise<number> {
    return await queryStore(() => this.#reader.teamMember.count({ where: { teamId } }));
  }

  /** Returns the teams of which a person is a member, and was not seen after a time: a limited number, in their order. */
  async teamsOf(subject: string, at: Date): Promise<string[]> {
    const where = { subject, leftAt: null, seenAt: { lte: at } };
    const rows = await queryStore(() =>
      this.#reader.teamMember.findMany({ where, orderBy: { teamId: 'asc' }, take: maxTeams, select: { teamId: true } }),
    );
    return rows.map(({ teamId }) => teamId);
  }

  /** Records sign-ins, for which no call waits. Adds those who are not known, unless their team has too many. */
  async addSeen(seen: readonly SeenMember[]): Promise<void> {
    await this.#changes.housekeep(
      async (transaction) => {
        for (const one of seen) await add(transaction, one);
      },
      { holder: 'members' },
    );
  }
}

/** More than the claims of a session have room for. */
const maxTeams = 1000;

async function add(
  transaction: Prisma.TransactionClient,
  { teamId, subject, at, returnsIfLeftBy }: SeenMember,
): Promise<void> {
  const { teamMember } = transaction;
  const known = await teamMember.findUnique({ where: { teamId_subject: { teamId, subject } } });
  if (known === null) {
    if ((await teamMember.count({ where: { teamId, leftAt: null } })) >= limits.members) return;
    // Another instance may add the person at the same time.
    await transaction.$executeRaw`INSERT INTO "TeamMember" ("teamId", "subject", "seenAt") VALUES (${teamId}, ${subject}, ${at})
      ON CONFLICT DO NOTHING`;
    await forgetIn(transaction, teamId);
    return;
  }
  const data = {
    ...(known.seenAt < at ? { seenAt: at } : {}),
    ...(known.leftAt !== null && known.leftAt <= returnsIfLeftBy ? { leftAt: null } : {}),
  };
  if (Object.keys(data).length === 0) return;
  await teamMember.update({ where: { teamId_subject: { teamId, subject } }, data });
}
