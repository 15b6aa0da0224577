// SECURITY.md: Hostile tenant
/** Searches take turns by team, and leave the event loop to other calls between two reads. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { systemScheduler } from '../../src/lib/scheduler.ts';
import { readsInTurn } from '../../src/store/rows/key-scan.ts';

it('teams take turns, however many reads one of them has queued', async () => {
  const read = readsInTurn('sqlite');
  const order: string[] = [];
  const readOf = (team: string) => read(team, async () => void order.push(team));
  await Promise.all([...Array.from({ length: 4 }, () => readOf('many')), readOf('few'), readOf('few')]);
  expect(order).toEqual(['many', 'many', 'few', 'many', 'few', 'many']);
});

it('on SQLite, a call of another team that needs 20 turns of the event loop waits for at most one read', async () => {
  const read = readsInTurn('sqlite', { ...systemScheduler, now: () => 0 });
  const reads: number[] = [];
  const searching = Promise.all([1, 2, 3].map((i) => read('team', async () => void reads.push(i))));
  for (let i = 0; i < 20; i += 1) await nextTurn();
  expect(reads).toEqual([1]);
  await searching;
  expect(reads).toEqual([1, 2, 3]);
});

it('on a busy event loop, a search waits for 5 ms between two reads, not for many long turns', async () => {
  let clockMs = 0;
  const read = readsInTurn('sqlite', { ...systemScheduler, now: () => clockMs });
  const reads: number[] = [];
  const searching = Promise.all([1, 2].map((i) => read('team', async () => void reads.push(i))));
  await nextTurn();
  expect(reads).toEqual([1]);
  clockMs += 5;
  await nextTurn();
  await nextTurn();
  expect(reads).toEqual([1, 2]);
  await searching;
});

it('on PostgreSQL, searches never use all connections for reading', async () => {
  const read = readsInTurn('postgresql');
  let [running, most] = [0, 0];
  const count = async () => {
    running += 1;
    most = Math.max(most, running);
    await nextTurn();
    running -= 1;
  };
  await Promise.all(Array.from({ length: 20 }, (_, i) => read(`team ${i}`, count)));
  expect([most, running]).toEqual([3, 0]);
});

it('a read that fails passes the turn on', async () => {
  const read = readsInTurn('sqlite');
  const failing = read('team', () => Promise.reject(new Error('broken')));
  const next = read('team', async () => 'read');
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('read');
});
