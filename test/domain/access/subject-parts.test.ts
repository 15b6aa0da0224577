/** How a list of members is sent in parts. */
import { expect, it } from 'vitest';
import { type SubjectPart, sendParts, subjectParts } from '../../../src/domain/access/subject-parts.ts';

/** A team with room for a number of people, which does what `importMembers` says. */
function fullTeam(members: Iterable<string>, maxMembers: number) {
  const present = new Set(members);
  const send = async ({ subjects, after, upTo }: SubjectPart) => {
    const isWithin = (one: string) => (after === null || one > after) && (upTo === null || one <= upTo);
    const missing = [...present].filter((one) => isWithin(one) && !subjects.includes(one));
    const leaving = missing.slice(0, 500);
    for (const one of leaving) present.delete(one);
    const unknown = subjects.filter((one) => !present.has(one));
    const added = unknown.slice(0, maxMembers - present.size);
    for (const one of added) present.add(one);
    return {
      added: added.length,
      left: leaving.length,
      hasMore: missing.length > leaving.length || unknown.length > added.length,
    };
  };
  return { present, send };
}

const people = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}${1000 + i}`);

it('all of a full team are replaced, although the new ones come first', async () => {
  const team = fullTeam(people('b', 2500), 2500);
  const list = people('a', 2500);
  expect(await sendParts(list, team.send)).toBe(true);
  expect([...team.present].sort()).toEqual(list);
});

it('a list that does not fit ends, with as many as there is room for', async () => {
  const team = fullTeam(['a1'], 1200);
  expect(await sendParts(people('a', 2500), team.send)).toBe(false);
  expect(team.present.size).toBe(1200);
});

it('each person is sent once, as keys name the person', () => {
  expect(subjectParts(['b ', 'a', 'b']).map(({ subjects }) => subjects)).toEqual([['a', 'b']]);
});
