import { expect, it } from 'vitest';
import { ConflictReports } from '../../src/verify/conflict-reports.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('each conflict is logged and recorded once, by the ids of its keys, however often it is met', async () => {
  const [logged, recorded]: [string[], string[]] = [[], []];
  const recordConflict = async (ids: readonly string[]) => {
    recorded.push(ids.join(' '));
  };
  const reports = new ConflictReports({ recordConflict }, (_, what) => logged.push(what));
  for (const ids of [
    ['a', 'b'],
    ['a', 'b'],
    ['a', 'c'],
    ['a', 'b'],
  ]) {
    reports.add({ conflictingIds: ids, currentIds: ids, revoked: false });
  }
  await turn();
  expect(reports.count).toBe(4);
  expect(recorded).toEqual(['a b', 'a c']);
  expect(logged.map((what) => what.slice(what.indexOf(': ')))).toEqual([
    ': a, b; see npx latchkey release-key',
    ': a, c; see npx latchkey release-key',
  ]);
});

it('what could not be recorded is recorded when it is met again', async () => {
  const logged: string[] = [];
  let attempts = 0;
  const recordConflict = async () => {
    attempts += 1;
    if (attempts === 1) throw new Error('the store is gone');
  };
  const reports = new ConflictReports({ recordConflict }, (_, what) => logged.push(what));
  for (let i = 0; i < 3; i += 1) {
    reports.add({ conflictingIds: ['a', 'b'], currentIds: ['a', 'b'], revoked: false });
    await turn();
  }
  expect(attempts).toBe(2);
  expect(logged.filter((what) => what.includes('could not be recorded'))).toHaveLength(1);
});
