/** The clock of the events about times: it checks every half a minute, also after an error, until it is stopped. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { startTimeEvents } from '../../../src/events/clock/time-events.ts';
import { theProvider } from '../../support/databases.ts';
import { ManualScheduler } from '../../support/manual-scheduler.ts';
import { openStores } from '../../support/stores.ts';
import { addKeys, begin, dayMs, hourMs, later, namesOf } from './keys.ts';

async function setUp() {
  const { store, stop } = await openStores(theProvider);
  const scheduler = new ManualScheduler();
  const clock = { time: begin };
  const reports: string[] = [];
  const start = (of = store) => {
    const events = startTimeEvents({
      store: of,
      expiryNoticeDays: [7],
      unusedNoticeDays: 90,
      scheduler,
      now: () => clock.time,
      report: (_, what) => reports.push(what),
    });
    onTestFinished(events.stop);
    return events;
  };
  onTestFinished(stop);
  const progress = async (id: string) => (await store.eventProgress.list(id)).size;
  /** Lets pauses pass until a condition holds. */
  const until = async (condition: () => Promise<boolean>) => {
    while (!(await condition())) {
      await scheduler.advance(250);
      await sleep(1);
    }
  };
  return { store, scheduler, clock, reports, start, progress, until };
}

it('checks five seconds after the start, then every half a minute, and writes events of every kind', async () => {
  const { store, scheduler, clock, start, progress, until } = await setUp();
  start();
  await scheduler.advance(4999);
  expect(await progress('time:')).toBe(0);
  await until(async () => (await progress('time:')) === 11);
  const ids = await addKeys(store, [{ createdAt: later(-89 * dayMs), expiresAt: later(8 * dayMs) }]);
  clock.time = later(dayMs + hourMs);
  await until(async () => (await namesOf(store, ids)).length > 1);
  expect(await namesOf(store, ids)).toEqual(['KEY_EXPIRING 7', 'KEY_UNUSED 90']);
});

it('checks again after an error, and not after it was stopped', async () => {
  const { store, scheduler, reports, start, progress, until } = await setUp();
  const eventProgress = Object.create(store.eventProgress);
  let isFailing = true;
  eventProgress.list = (prefix: string) =>
    isFailing ? Promise.reject(new Error('the store is down')) : store.eventProgress.list(prefix);
  const { stop } = start(Object.assign(Object.create(store), { eventProgress }));
  await until(async () => reports.length >= 2);
  isFailing = false;
  await until(async () => (await progress('time:')) === 11);
  await stop();
  await scheduler.advance(60_000);
  expect(scheduler.timers).toBe(0);
});
