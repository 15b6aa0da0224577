/** Who has access to a team, and who takes over the keys of people who left. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfiguration } from '../../src/config/configuration.ts';
import type { Permission } from '../../src/domain/key/permission.ts';
import { limits } from '../../src/domain/limits.ts';
import { openDatabase } from '../../src/store/database.ts';
import { theProvider } from '../support/databases.ts';
import { inTests } from '../support/in-tests.ts';
import { type Answer, both, graphql, sessionToken, startService } from '../support/service.ts';

const running = inTests(() => startService(theProvider));
const memberFields = 'subject state seenAt leftAt keyCount';
const documents = {
  list: `query ($team: UUID!, $state: [MemberState!], $first: Int! = 50, $after: String) {
    members(teamId: $team, state: $state, first: $first, after: $after) {
      nodes { ${memberFields} } pageInfo { hasNextPage endCursor } } }`,
  remove: `mutation ($team: UUID!, $subject: String!) {
    removeMember(teamId: $team, subject: $subject) { member { ${memberFields} } } }`,
  import: `mutation ($team: UUID!, $subjects: [String!]!, $after: String, $upTo: String) {
    importMembers(input: { teamId: $team, subjects: $subjects, after: $after, upTo: $upTo }) { added left hasMore } }`,
  handOver: `mutation ($team: UUID!, $from: String!, $to: String!) {
    handOverKeys(teamId: $team, from: $from, to: $to) { hasMore results { outcome apiKey { name responsible state } } } }`,
  create: `mutation ($team: UUID!, $name: String!, $responsible: String) {
    createKey(input: { teamId: $team, name: $name, env: live, responsible: $responsible }) { apiKey { id } secret } }`,
  keys: `query ($team: UUID!, $states: [MemberState!]) {
    keys(teamId: $team, filter: { responsibleState: $states }) { nodes { name } } }`,
  log: `query ($team: UUID!) { auditLog(teamId: $team, action: MEMBER_LEFT) {
    nodes { actor actorKind keyId details } } }`,
} as const;

type Variables = Readonly<Record<string, unknown>>;

function asTeam(permissions: readonly Permission[] = both, team = randomUUID(), url = () => running.url) {
  const token = sessionToken({ [team]: permissions }, 'admin');
  return async (name: keyof typeof documents, variables: Variables = {}): Promise<Answer['body']> => {
    const { body } = await graphql(url(), token, documents[name], { team, ...variables });
    return body.errors === undefined ? Object.values(body.data)[0] : body.errors[0].extensions;
  };
}

type Ask = ReturnType<typeof asTeam>;

async function subjectsOf(ask: Ask, state?: readonly string[]) {
  const { nodes } = await ask('list', { state });
  return nodes.map(({ subject }: { subject: string }) => subject).filter((subject: string) => subject !== 'admin');
}

describe('a person who is removed', () => {
  it('is listed as having left, with the number of unrevoked keys, which keep working as they are', async () => {
    const ask = asTeam();
    await ask('import', { subjects: ['ada', 'bob'] });
    for (const name of ['one', 'two']) await ask('create', { name, responsible: 'ada' });
    const { member } = await ask('remove', { subject: 'ada' });
    const ada = {
      subject: 'ada',
      state: 'LEFT',
      seenAt: expect.any(String),
      leftAt: expect.any(String),
      keyCount: 2,
    };
    expect(member).toEqual(ada);
    expect((await ask('list', { state: ['LEFT'] })).nodes).toEqual([ada]);
    expect((await ask('keys', { states: ['LEFT'] })).nodes).toEqual([{ name: 'two' }, { name: 'one' }]);
    expect((await ask('keys', { states: ['ACTIVE', 'INACTIVE'] })).nodes).toEqual([]);
  });

  it('is in the audit trail once, however often the person is removed', async () => {
    const ask = asTeam();
    await Promise.all(['ada', 'ada', 'ada'].map((subject) => ask('remove', { subject })));
    await ask('remove', { subject: 'ada' });
    const entry = { actor: 'admin', actorKind: 'SESSION', keyId: '00000000-0000-0000-0000-000000000000' };
    expect((await ask('log')).nodes).toEqual([{ ...entry, details: { member: { subject: 'ada' } } }]);
  });
});

describe('an import of members', () => {
  it('adds who is not known, and records that who is missing has left', async () => {
    const ask = asTeam();
    // Who calls can be recorded as a member at any moment.
    const first = await ask('import', { subjects: ['ada', 'admin', 'bob', 'eve'] });
    expect(first).toMatchObject({ left: 0, hasMore: false });
    const second = await ask('import', { subjects: ['admin', 'bob', 'eve', 'zoe'] });
    expect(second).toMatchObject({ left: 1, hasMore: false });
    expect(await subjectsOf(ask, ['LEFT'])).toEqual(['ada']);
    expect(await subjectsOf(ask, ['ACTIVE'])).toEqual(['bob', 'eve', 'zoe']);
    expect(await ask('import', { subjects: ['ada', 'admin', 'bob', 'eve', 'zoe'] })).toMatchObject({
      added: 1,
      left: 0,
    });
    expect(await subjectsOf(ask, ['LEFT'])).toEqual([]);
  });

  it('compares a part of a list only with the members in its range', async () => {
    const ask = asTeam();
    await ask('import', { subjects: ['a', 'b', 'c', 'd'] });
    expect(await ask('import', { subjects: ['a', 'admin'], upTo: 'b' })).toMatchObject({ left: 1 });
    expect(await subjectsOf(ask, ['LEFT'])).toEqual(['b']);
    expect((await ask('import', { subjects: ['a'], after: 'b' })).code).toBe('BAD_USER_INPUT');
  });

  it('rejects subjects that no session can have, and more than one call or a team may have', async () => {
    const ask = asTeam();
    const rejected = async (subjects: readonly string[]) => (await ask('import', { subjects })).errors[0].field;
    expect(await rejected([''])).toBe('subjects[0]');
    expect(await rejected(['a\u0000b'])).toBe('subjects[0]');
    expect(await rejected(['  '])).toBe('subjects[0]');
    expect(await rejected(['a', 'a '])).toBe('subjects[1]');
    expect(await rejected(['x'.repeat(256)])).toBe('subjects[0]');
    expect(await rejected(['a', 'a'])).toBe('subjects[1]');
    const listOf = (length: number) => Array.from({ length }, (_, i) => `s${i}`);
    expect(await rejected(listOf(limits.importedMembers + 1))).toBe('subjects');
    const subjects = listOf(limits.importedMembers);
    expect(await ask('import', { subjects })).toMatchObject({ added: limits.importedMembers });
  });
});

describe('a list of members', () => {
  it('has each member on one page, in the order of the subjects', async () => {
    const ask = asTeam();
    const subjects = Array.from({ length: 7 }, (_, i) => `person-${i}`);
    await ask('import', { subjects });
    const read: string[] = [];
    for (let after: string | null = null, more = true; more; ) {
      const page = await ask('list', { first: 3, after });
      read.push(...page.nodes.map(({ subject }: { subject: string }) => subject));
      [after, more] = [page.pageInfo.endCursor, page.pageInfo.hasNextPage];
    }
    expect(read.filter((subject) => subject !== 'admin')).toEqual(subjects);
    expect((await ask('list', { after: 'forged' })).errors[0].field).toBe('after');
    expect((await ask('list', { state: [] })).errors[0].field).toBe('state');
  });
});

describe('keys that are handed over', () => {
  it('get another responsible person each, also in several calls, and revoked keys stay', async () => {
    const ask = asTeam();
    for (let i = 0; i < 103; i += 1) await ask('create', { name: `key ${i}`, responsible: 'ada' });
    await ask('create', { name: 'other', responsible: 'bob' });
    const first = await ask('handOver', { from: 'ada', to: 'Team Billing' });
    expect([first.results.length, first.hasMore]).toEqual([100, true]);
    expect(first.results[0]).toEqual({
      outcome: 'CHANGED',
      apiKey: { name: 'key 102', responsible: 'Team Billing', state: 'ACTIVE' },
    });
    const second = await ask('handOver', { from: 'ada', to: 'Team Billing' });
    expect([second.results.length, second.hasMore]).toEqual([3, false]);
    expect(await ask('handOver', { from: 'ada', to: 'Team Billing' })).toEqual({ results: [], hasMore: false });
    expect((await ask('handOver', { from: 'ada', to: '' })).errors[0].field).toBe('to');
  });
});

describe('another team', () => {
  it('sees, removes and imports no members, and hands over no keys', async () => {
    const team = randomUUID();
    const [owner, other] = [asTeam(both, team), asTeam()];
    await owner('import', { subjects: ['ada'] });
    await other('remove', { subject: 'ada' });
    await other('import', { subjects: [] });
    expect(await subjectsOf(owner, ['LEFT'])).toEqual([]);
    const foreign = asTeam([], team);
    for (const [name, variables] of [
      ['list', {}],
      ['remove', { subject: 'ada' }],
      ['import', { subjects: [] }],
      ['handOver', { from: 'ada', to: 'mallory' }],
    ] as const) {
      expect((await foreign(name, variables)).code).toBe('FORBIDDEN');
    }
    const viewing = asTeam(['view_team'], team);
    expect((await viewing('remove', { subject: 'ada' })).code).toBe('FORBIDDEN');
    expect((await viewing('handOver', { from: 'ada', to: 'bob' })).code).toBe('FORBIDDEN');
    expect(await subjectsOf(viewing)).toEqual(['ada']);
  });

  it('is not kept waiting by a team whose budget is used up', async () => {
    const limited = await startService(theProvider, { TEAM_CHANGES_PER_HOUR: '2' });
    onTestFinished(limited.stop);
    const ask = asTeam(both, randomUUID(), () => limited.url);
    for (const subject of ['a', 'b']) await ask('remove', { subject });
    expect((await ask('remove', { subject: 'c' })).code).toBe('RATE_LIMITED');
    expect((await ask('import', { subjects: [] })).code).toBe('RATE_LIMITED');
  });

  it('uses up its budget with the people whom it imports, and not with a repetition', async () => {
    const limited = await startService(theProvider, { TEAM_CHANGES_PER_HOUR: '2' });
    onTestFinished(limited.stop);
    const ask = asTeam(both, randomUUID(), () => limited.url);
    const subjects = ['admin', 'ada'];
    await ask('import', { subjects });
    for (let i = 0; i < 3; i += 1) expect(await ask('import', { subjects })).toMatchObject({ added: 0 });
    await ask('import', { subjects: [...subjects, 'bob'] });
    expect((await ask('import', { subjects: [...subjects, 'bob', 'eve'] })).code).toBe('RATE_LIMITED');
    expect(await subjectsOf(ask)).toEqual(['ada', 'bob']);
  });
});

/** Members as an earlier import recorded them. */
async function record(team: string, members: readonly { readonly subject: string; readonly leftAt?: Date }[]) {
  const { DATABASE_URL } = readConfiguration({ DATABASE_URL: running.database.url });
  const { writer, close } = await openDatabase(DATABASE_URL);
  onTestFinished(close);
  const seenAt = new Date(Date.now() - 1_000_000);
  await writer.teamMember.createMany({ data: members.map((member) => ({ teamId: team, seenAt, ...member })) });
  return writer;
}

it('a full team gets another person in place of one who is missing, also in parts and not above the maximum', async () => {
  const team = randomUUID();
  const ask = asTeam(both, team);
  const others = Array.from({ length: limits.members - 1 }, (_, i) => ({ subject: `b${10_000 + i}` }));
  await record(team, [{ subject: 'admin' }, ...others]);
  expect(await ask('import', { subjects: ['admin'], upTo: 'b0' })).toEqual({ added: 0, left: 0, hasMore: false });
  const last = `b${10_000 + limits.members - 2}`;
  const part = { after: `b${10_000 + limits.members - 3}` };
  // Nobody of this part leaves, so there is no room until another part has made some.
  expect(await ask('import', { ...part, subjects: [last, 'c'] })).toEqual({ added: 0, left: 0, hasMore: true });
  expect(await ask('import', { ...part, subjects: ['c'] })).toEqual({ added: 1, left: 1, hasMore: false });
  expect(await ask('import', { ...part, subjects: ['c', 'd'] })).toEqual({ added: 0, left: 0, hasMore: true });
  const states = { ACTIVE: 0, LEFT: 0 };
  const writer = await record(team, []);
  for (const { leftAt } of await writer.teamMember.findMany({ where: { teamId: team } })) {
    states[leftAt === null ? 'ACTIVE' : 'LEFT'] += 1;
  }
  expect(states.ACTIVE).toBe(limits.members);
});

it.each([
  ['a space at its end', 'ada '],
  ['another spelling of the same characters', 'ame\u0301lie'],
])('a person whose subject has %s is responsible for the keys that name the person', async (_, subject) => {
  const team = randomUUID();
  const ask = asTeam(both, team);
  const own = async (responsible?: string) => {
    const token = sessionToken({ [team]: both }, subject);
    const variables = { team, name: responsible === undefined ? 'own' : 'named', responsible };
    expect((await graphql(running.url, token, documents.create, variables)).body.errors).toBeUndefined();
  };
  await own();
  await own(subject);
  await ask('import', { subjects: ['admin', subject] });
  const named = async () =>
    (await ask('list')).nodes.filter((one: { subject: string }) => one.subject !== 'admin' && one.subject !== 'bob');
  expect(await named()).toMatchObject([{ subject: subject.trim().normalize('NFC'), state: 'ACTIVE', keyCount: 2 }]);
  await ask('remove', { subject });
  expect((await ask('keys', { states: ['LEFT'] })).nodes).toHaveLength(2);
  const { results } = await ask('handOver', { from: subject, to: 'bob' });
  expect(results.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['CHANGED', 'CHANGED']);
});

it('a hand-over from or to somebody whom no key can have names the argument', async () => {
  const ask = asTeam();
  const fieldOf = async (variables: Variables) => (await ask('handOver', variables)).errors[0].field;
  expect(await fieldOf({ from: 'x'.repeat(256), to: 'bob' })).toBe('from');
  expect(await fieldOf({ from: 'bob', to: 'x'.repeat(256) })).toBe('to');
});

it('a team that is full of people who left can add others, and forgets who left first', async () => {
  const team = randomUUID();
  const ask = asTeam(both, team);
  const leftAt = (i: number) => new Date(Date.now() - 900_000 + i);
  const writer = await record(
    team,
    Array.from({ length: limits.members }, (_, i) => ({ subject: `junk ${i}`, leftAt: leftAt(i) })),
  );
  expect(await ask('import', { subjects: ['zoe', 'eve'] })).toMatchObject({ added: 2 });
  expect((await ask('remove', { subject: 'adam' })).member).toMatchObject({ state: 'LEFT' });
  const known = await writer.teamMember.findMany({ where: { teamId: team } });
  const subjects = new Set(known.map(({ subject }) => subject));
  expect(subjects.size).toBe(limits.members);
  const asked = ['zoe', 'eve', 'adam', 'junk 0', 'junk 1', `junk ${limits.members - 1}`];
  expect(asked.map((subject) => subjects.has(subject))).toEqual([true, true, true, false, false, true]);
});
