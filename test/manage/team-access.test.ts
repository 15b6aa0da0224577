/** Who counts as a member over time, with a clock that is given. */
import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { readConfiguration } from '../../src/config/configuration.ts';
import { type MemberState, memberStates } from '../../src/domain/access/team-member.ts';
import { limits } from '../../src/domain/limits.ts';
import { dayMs } from '../../src/domain/moment.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import { leave } from '../../src/manage/members/leave.ts';
import { readMembers } from '../../src/manage/members/read-members.ts';
import { listKeys } from '../../src/manage/read/read-keys.ts';
import { recordTeamAccess } from '../../src/service/compose/team-access.ts';
import { openDatabase } from '../../src/store/database.ts';
import { theProvider } from '../support/databases.ts';
import { inTests } from '../support/in-tests.ts';
import { both, callerOf, startService } from '../support/service.ts';

const running = inTests(() => startService(theProvider));
const start = new Date('2030-01-01T00:00:00.000Z');
const at = (hours: number) => new Date(start.getTime() + hours * 3_600_000);
const hoursPerDay = dayMs / 3_600_000;
const maxSessionSeconds = 86_400;

function newTeam(subject = `ada ${randomUUID()}`) {
  const { store } = running.service.management;
  const team = randomUUID();
  const session = { subject, teams: new Map([[team, new Set(both)]]), teamNames: new Map() };
  /** As after a restart: nothing is remembered. */
  const record = async (run: (access: ReturnType<typeof recordTeamAccess>) => void) => {
    const access = recordTeamAccess(store, maxSessionSeconds, (error) => {
      throw error;
    });
    run(access);
    await access.close();
  };
  const read = async (now: Date, states: readonly MemberState[] = memberStates) => {
    const caller = callerOf({ [team]: both }, now);
    const page = await readMembers(running.service.management, caller, { teamId: team, state: states, first: 50 });
    return page.edges.map(({ node: { seenAt, leftAt } }) => ({ seenAt, leftAt }));
  };
  const by = {
    actor: 'latchkey',
    actorKind: 'SYSTEM',
    credentialId: null,
    source: null,
    requestId: 'test',
  } as const;
  const remove = (now: Date) => store.changes.submit(leave({ teamId: team, subject }, { ...by, at: now }));
  return { store, team, session, record, read, remove };
}

it('a person who does not sign in for 90 days is inactive, and keys of the person are listed', async () => {
  const { team, session, record, read } = newTeam();
  await record((access) => access.used(session, start));
  const { management } = running.service;
  const input = { teamId: team, name: 'Key', env: 'live', responsible: session.subject } as const;
  await createKey(management, callerOf({ [team]: both }, start), input);
  const inactiveKeys = async (now: Date) => {
    const filter = { responsibleState: ['INACTIVE' as const] };
    const page = await listKeys(management, callerOf({ [team]: both }, now), { teamId: team, first: 10, filter });
    return page.edges.length;
  };
  const day90 = at(90 * hoursPerDay);
  expect([(await read(day90, ['ACTIVE'])).length, await inactiveKeys(day90)]).toEqual([1, 0]);
  const later = new Date(day90.getTime() + 1);
  expect([(await read(later, ['INACTIVE'])).length, await inactiveKeys(later)]).toEqual([1, 1]);
  await record((access) => access.used(session, later));
  expect([(await read(later, ['ACTIVE'])).length, await inactiveKeys(later)]).toEqual([1, 0]);
});

it('is written at most once a day for each person and team', async () => {
  const { session, record, read } = newTeam();
  await record((access) => {
    for (const hours of [0, 1, 23]) access.used(session, at(hours));
  });
  expect(await read(at(24))).toEqual([{ seenAt: start, leftAt: null }]);
});

it('who was removed is no member again by a session from before, and is by one from a day later', async () => {
  const { session, record, read, remove } = newTeam();
  await record((access) => access.used(session, start));
  await remove(at(1));
  await record((access) => access.used(session, at(24)));
  expect(await read(at(24))).toEqual([{ seenAt: at(24), leftAt: at(1) }]);
  await record((access) => access.used(session, at(25)));
  expect(await read(at(25))).toEqual([{ seenAt: at(25), leftAt: null }]);
});

it('who was removed is a member again with what the identity provider says later, and not with what it said before', async () => {
  const { session, record, read, remove } = newTeam();
  await record((access) => access.used(session, start));
  await remove(at(2));
  await record((access) => access.confirmed(session, at(1)));
  expect(await read(at(2))).toMatchObject([{ leftAt: at(2) }]);
  await record((access) => access.confirmed(session, at(3)));
  expect(await read(at(3))).toEqual([{ seenAt: at(3), leftAt: null }]);
});

it('a logout that arrives late does not make somebody leave who has signed in since', async () => {
  const { session, record, read } = newTeam();
  const nowhere = { subject: session.subject, teams: new Map() };
  await record((access) => {
    access.confirmed(session, at(1));
    access.confirmed(nowhere, at(0));
  });
  await record((access) => access.confirmed(nowhere, at(0)));
  expect(await read(at(1))).toEqual([{ seenAt: at(1), leftAt: null }]);
  await record((access) => access.confirmed(nowhere, at(2)));
  expect(await read(at(2))).toEqual([{ seenAt: at(1), leftAt: at(2) }]);
});

it('somebody who signs in to a team that is full of people who left is added, and who left first is forgotten', async () => {
  const { store, team, session, record } = newTeam();
  const { writer, close } = await openDatabase(readConfiguration({ DATABASE_URL: running.database.url }).DATABASE_URL);
  onTestFinished(close);
  await writer.teamMember.createMany({
    data: Array.from({ length: limits.members }, (_, i) => ({
      ...{ teamId: team, subject: `left ${i}`, seenAt: start, leftAt: new Date(start.getTime() + i) },
    })),
  });
  await record((access) => access.used(session, at(1)));
  const isKnown = async (subject: string) => (await store.teamMembers.find(team, subject)) !== null;
  expect(await Promise.all([session.subject, 'left 0', 'left 1'].map(isKnown))).toEqual([true, false, true]);
});
