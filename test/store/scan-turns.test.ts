/** Searches take turns by team, and leave the event loop to other calls between two reads. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ScanTurns } from '../../src/store/rows/scan-turns.ts';

it('teams take turns, however many reads one of them has queued', async () => {
  const turns = new ScanTurns('sqlite');
  const order: string[] = [];
  const read = (team: string) => turns.take(team, async () => void order.push(team));
  await Promise.all([...Array.from({ length: 4 }, () => read('many')), read('few'), read('few')]);
  expect(order).toEqual(['many', 'many', 'few', 'many', 'few', 'many']);
});

it('on SQLite, other callbacks run between two reads', async () => {
  const turns = new ScanTurns('sqlite');
  const order: string[] = [];
  const reads = Promise.all([1, 2, 3].map((i) => turns.take('team', async () => void order.push(`read ${i}`))));
  for (let i = 1; i <= 3; i += 1) {
    await nextTurn();
    order.push(`other ${i}`);
  }
  await reads;
  expect(order.indexOf('read 3')).toBeGreaterThan(order.indexOf('other 1'));
  expect(order.indexOf('read 2')).toBeLessThan(order.indexOf('read 3'));
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
