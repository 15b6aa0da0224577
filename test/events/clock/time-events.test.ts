/** What is due is checked every half a minute by one instance, which another one follows when it stops or hangs. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { momentKinds } from '../../../src/events/clock/moment-kinds.ts';
import { startTimeEvents } from '../../../src/events/clock/time-events.ts';
import type { DatabaseProvider } from '../../../src/lib/database-address.ts';
import { takeoverMs } from '../../../src/store/held-job.ts';
import type { Store } from '../../../src/store/store.ts';
import { providers, theProvider } from '../../support/databases.ts';
import { ManualScheduler } from '../../support/manual-scheduler.ts';
import { openStores } from '../../support/stores.ts';
import { addKeys, begin, dayMs, hourMs, later, namesOf } from './keys.ts';

/** One for each kind of event, and that of keys without use. */
const positions = momentKinds([7]).length + 1;

async function setUp(provider: DatabaseProvider = theProvider) {
  const { store, other, stop } = await openStores(provider);
  const scheduler = new ManualScheduler();
  const clock = { time: begin };
  const reports: string[] = [];
  const start = (of = store, its = scheduler) => {
    const events = startTimeEvents({
      store: of,
      expiryNoticeDays: [7],
      unusedNoticeDays: 90,
      scheduler: its,
      now: () => clock.time,
      report: (_, what) => reports.push(what),
    });
    onTestFinished(() => events.stop());
    return events;
  };
  onTestFinished(stop);
  const progress = async (id: string) => (await store.eventProgress.list(id)).size;
  /** Lets pauses pass until a condition holds. */
  const until = async (condition: () => Promise<boolean>, its = scheduler) => {
    while (!(await condition())) {
      await its.advance(250);
      await sleep(1);
    }
  };
  return { store, other, scheduler, clock, reports, start, progress, until };
}

it('checks five seconds after the start, then every half a minute, and writes events of every kind', async () => {
  const { store, scheduler, clock, start, progress, until } = await setUp();
  start();
  await scheduler.advance(4999);
  expect(await progress('time:')).toBe(0);
  await until(async () => (await progress('time:')) === positions);
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
  const events = start(Object.assign(Object.create(store), { eventProgress }));
  await until(async () => reports.length >= 2);
  isFailing = false;
  await until(async () => (await progress('time:')) === positions);
  await events.stop();
  await scheduler.advance(60_000);
  expect(scheduler.timers).toBe(0);
});

it('ends its work, which may have hung, when another instance has taken the job', async () => {
  const { store, scheduler, clock, reports, start, progress, until } = await setUp();
  let [hungMs, reads, isTaken] = [0, 0, false];
  const keyMoments = Object.create(store.keyMoments);
  keyMoments.uses = async (after: string) => {
    reads += isTaken ? 1 : 0;
    if (!isTaken) await store.claims.move('timeEvents', await store.claims.read('timeEvents'), 'another instance');
    isTaken = true;
    hungMs = takeoverMs;
    const use = { teamId: randomUUID(), createdAt: begin, lastUsedAt: clock.time };
    return Array.from({ length: 200 }, (_, i) => ({ ...use, id: `${after}${String(i).padStart(3, '0')}` }));
  };
  const its = Object.create(scheduler, { now: { value: () => scheduler.now() + hungMs } });
  start(Object.assign(Object.create(store), { keyMoments }), its);
  await until(async () => (await progress('time:')) === positions);
  clock.time = later(2 * dayMs);
  await until(async () => reports.length > 0 || reads > 0);
  expect(reads).toBe(0);
});

it('stops without a pause when the stop comes while it renews its claim', async () => {
  const { store, scheduler, clock, start, progress, until } = await setUp();
  let [stopping, hungMs]: [Promise<void> | null, number] = [null, 0];
  const list = (...range: Parameters<Store['keyMoments']['list']>) => store.keyMoments.list(...range);
  const uses = async () => {
    hungMs = takeoverMs / 2;
    return [{ id: randomUUID(), teamId: randomUUID(), createdAt: begin, lastUsedAt: begin }];
  };
  const read = (job: Parameters<Store['claims']['read']>[0]) => store.claims.read(job);
  const move = async (...args: Parameters<Store['claims']['move']>) => {
    const moved = await store.claims.move(...args);
    if (hungMs > 0) stopping ??= events.stop();
    return moved;
  };
  const its = Object.create(scheduler, { now: { value: () => scheduler.now() + hungMs } });
  const events = start(
    Object.assign(Object.create(store), { claims: { read, move }, keyMoments: { list, uses } }),
    its,
  );
  await until(async () => (await progress('time:')) === positions);
  clock.time = later(2 * dayMs);
  await until(async () => stopping !== null);
  await stopping;
  expect(events.failures).toBe(0);
});

describe.each(providers)('of two instances on %s', (provider) => {
  /** Two instances, of which only the first one has checked. */
  async function startTwo(adapt: (store: Store) => Store = (store) => store) {
    const parts = await setUp(provider);
    const { store, other, clock, start, progress, until } = parts;
    const first = start(adapt(store));
    await until(async () => (await progress('time:')) === positions);
    const second = { scheduler: new ManualScheduler(), checks: 0 };
    const keyMoments = Object.create(other.keyMoments);
    keyMoments.list = (...range: Parameters<Store['keyMoments']['list']>) => {
      second.checks += 1;
      return other.keyMoments.list(...range);
    };
    start(Object.assign(Object.create(other), { keyMoments }), second.scheduler);
    /** Lets a key expire. Returns what the log has about it. */
    const expire = async () => {
      const ids = await addKeys(store, [{ createdAt: clock.time, expiresAt: later(1000, clock.time) }]);
      clock.time = later(hourMs, clock.time);
      return { isWritten: async () => (await namesOf(store, ids)).includes('KEY_EXPIRED') };
    };
    return { ...parts, first, second, expire };
  }

  it('one checks, and another one follows at its next check when it stops', async () => {
    const { first, second, until, expire } = await startTwo();
    for (let i = 0; i < 3; i += 1) {
      const { isWritten } = await expire();
      await second.scheduler.advance(30_000);
      await until(isWritten);
    }
    expect(second.checks).toBe(0);
    await first.stop();
    const { isWritten } = await expire();
    const since = second.scheduler.now();
    await until(isWritten, second.scheduler);
    expect(second.checks).toBeGreaterThan(0);
    expect(second.scheduler.now() - since).toBeLessThan(takeoverMs);
  });

  it('another one follows when it is killed', async () => {
    const { second, until, expire } = await startTwo();
    const { isWritten } = await expire();
    // The time of the first one stands still.
    await until(isWritten, second.scheduler);
    expect(second.scheduler.now()).toBeGreaterThanOrEqual(takeoverMs);
  });

  it('another one follows when its check hangs, although its time passes', async () => {
    let hangs = false;
    let end = () => {};
    const hanging = new Promise<never>((_, reject) => {
      end = () => reject(new Error('the test has ended'));
    });
    const { scheduler, second, until, expire } = await startTwo((store) => {
      const keyMoments = Object.create(store.keyMoments);
      keyMoments.list = (...range: Parameters<Store['keyMoments']['list']>) =>
        hangs ? hanging : store.keyMoments.list(...range);
      return Object.assign(Object.create(store), { keyMoments });
    });
    hangs = true;
    const { isWritten } = await expire();
    await until(async () => {
      await scheduler.advance(250);
      return await isWritten();
    }, second.scheduler);
    end();
  });
});
