// SECURITY.md: Hostile tenant
/** Searches take turns by team, and leave the event loop to other calls between two reads. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { systemScheduler } from '../../src/lib/scheduler.ts';
import { ScanTurns } from '../../src/store/rows/scan-turns.ts';

it('teams take turns, however many reads one of them has queued', async () => {
  const turns = new ScanTurns('sqlite');
  const order: string[] = [];
  const read = (team: string) => turns.take(team, async () => void order.push(team));
  await Promise.all([...Array.from({ length: 4 }, () => read('many')), read('few'), read('few')]);
  expect(order).toEqual(['many', 'many', 'few', 'many', 'few', 'many']);
});

it('on SQLite, a call of another team that needs 20 turns of the event loop waits for at most one read', async () => {
  const turns = new ScanTurns('sqlite', { ...systemScheduler, now: () => 0 });
  const reads: number[] = [];
  const searching = Promise.all([1, 2, 3].map((i) => turns.take('team', async () => void reads.push(i))));
  for (let i = 0; i < 20; i += 1) await nextTurn();
  expect(reads).toEqual([1]);
  await searching;
  expect(reads).toEqual([1, 2, 3]);
});

it('on a busy event loop, a search waits for 5 ms between two reads, not for many long turns', async () => {
  let clockMs = 0;
  const turns = new ScanTurns('sqlite', { ...systemScheduler, now: () => clockMs });
  const reads: number[] = [];
  const searching = Promise.all([1, 2].map((i) => turns.take('team', async () => void reads.push(i))));
  await nextTurn();
  expect(reads).toEqual([1]);
  clockMs += 5;
  await nextTurn();
  await nextTurn();
  expect(reads).toEqual([1, 2]);
  await searching;
});

it('on PostgreSQL, searches never use all connections for reading', async () => {
  const turns = new ScanTurns('postgresql');
  let [running, most] = [0, 0];
  const read = async () => {
    running += 1;
    most = Math.max(most, running);
    await nextTurn();
    running -= 1;
  };
  await Promise.all(Array.from({ length: 20 }, (_, i) => turns.take(`team ${i}`, read)));
  expect([most, running]).toEqual([3, 0]);
});

it('a read that fails passes the turn on', async () => {
  const turns = new ScanTurns('sqlite');
  const failing = turns.take('team', () => Promise.reject(new Error('broken')));
  const next = turns.take('team', async () => 'read');
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('read');
});
