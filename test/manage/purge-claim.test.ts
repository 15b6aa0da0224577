/** One instance at a time purges, and another one follows when it stops, is killed or hangs. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPurging } from '../../src/manage/upkeep/purge.ts';
import { takeoverMs } from '../../src/store/held-job.ts';
import { JobClaim } from '../../src/store/job-claim.ts';
import type { Store } from '../../src/store/store.ts';
import { providers } from '../support/databases.ts';
import { ManualScheduler } from '../support/manual-scheduler.ts';
import { openStores } from '../support/stores.ts';

const firstMs = 60_000;
const intervalMs = 600_000;

describe.each(providers)('on %s', (provider) => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  beforeAll(async () => {
    stores = await openStores(provider);
  });
  afterAll(async () => {
    await stores.stop();
  });

  const holder = async () => (await stores.store.claims.read('purge')).holder;
  /** An instance whose time passes only in `until`. */
  function start(store: Store) {
    const scheduler = new ManualScheduler();
    const errors: unknown[] = [];
    const ignore = () => undefined;
    const job = startPurging(store, { usageDays: 90 }, ignore, (error) => errors.push(error), scheduler);
    return { scheduler, errors, stop: () => job.stop() };
  }
  /** Lets time pass for an instance until a condition holds, or until a time. */
  async function until({ scheduler }: ReturnType<typeof start>, condition: () => Promise<boolean>, endMs = 1e9) {
    while (!(await condition()) && scheduler.now() < endMs) {
      await scheduler.advance(1000);
      await sleep(1);
    }
  }
  /** Adds a record that has expired. Returns whether it was removed. */
  async function addExpired() {
    const id = randomUUID();
    const record = { id, fingerprint: '', keyId: id, expiresAt: new Date(0) };
    await stores.store.changes.housekeep(({ idempotentCreate }) => idempotentCreate.create({ data: record }));
    return async () =>
      await stores.store.changes.housekeep(
        async ({ idempotentCreate }) => (await idempotentCreate.count({ where: { id } })) === 0,
      );
  }
  /** A store whose purge hangs in its first transaction. Returns a function that ends this. */
  function hanging() {
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const purge = {
      while: () => ({ idempotentCreates: () => ended.then(() => Promise.reject(new Error('the end'))) }),
    };
    return { store: Object.assign(Object.create(stores.store), { purge }) as Store, end };
  }

  /** A store whose purge asks in each step whether it may continue, and then waits for the next one. */
  function stepwise() {
    const seen: boolean[] = [];
    const steps: (() => void)[] = [];
    const idempotentCreates = async (mayContinue: () => Promise<boolean>) => {
      while (seen.at(-1) !== false) {
        seen.push(await mayContinue());
        await new Promise<void>((resolve) => steps.push(resolve));
      }
      throw new Error('the end');
    };
    const purge = { while: (may: () => Promise<boolean>) => ({ idempotentCreates: () => idempotentCreates(may) }) };
    return { store: Object.assign(Object.create(stores.store), { purge }) as Store, seen, steps };
  }

  it('purges a minute after the start and then every ten minutes, and lets any instance do so in between', async () => {
    const first = start(stores.store);
    for (const ms of [firstMs, firstMs + intervalMs]) {
      const isRemoved = await addExpired();
      await first.scheduler.advance(ms - 1 - first.scheduler.now());
      expect(await isRemoved()).toBe(false);
      await until(first, isRemoved, ms + 30_000);
      expect(await isRemoved()).toBe(true);
      await expect.poll(holder).toBe('');
    }
    await first.stop();
    expect(first.errors).toEqual([]);
  });

  it('an instance that is killed while it purges, and starts again, purges within minutes', async () => {
    const { store, end } = hanging();
    const killed = start(store);
    await until(killed, async () => (await holder()) !== '');
    // From now on, its time stands still.
    const isRemoved = await addExpired();
    const next = start(stores.other);
    await until(next, isRemoved, intervalMs);
    expect(await isRemoved()).toBe(true);
    expect(next.scheduler.now()).toBeGreaterThanOrEqual(firstMs + takeoverMs);
    await next.stop();
    end();
    await killed.stop();
  });

  it('a purge that hangs while time passes stops neither another instance nor another job of its own', async () => {
    const { store, end } = hanging();
    const first = start(store);
    await until(first, async () => (await holder()) !== '');
    const jobs = (['deliveries', 'operatorEvents', 'timeEvents'] as const).map(
      (job) => new JobClaim({ claims: stores.store.claims, job, standstillMs: 1000, scheduler: first.scheduler }),
    );
    for (const claim of jobs) expect(await claim.takeOrRenew()).toBe(true);
    const isRemoved = await addExpired();
    const second = start(stores.other);
    await until(second, async () => {
      await first.scheduler.advance(1000);
      return await isRemoved();
    });
    end();
    for (const { stop } of [first, second]) await stop();
  });

  it('renews its claim while it purges, and ends if another instance has taken it', async () => {
    const { store, seen, steps } = stepwise();
    const { scheduler, stop } = start(store);
    const { claims } = stores.store;
    const next = async (ms: number) => {
      const count = seen.length;
      await scheduler.advance(ms);
      steps.shift()?.();
      await expect.poll(() => seen.length).toBe(count + 1);
      return { mayContinue: seen.at(-1), claim: await claims.read('purge') };
    };
    const first = await next(firstMs);
    const renewed = await next(takeoverMs / 2);
    expect(renewed).toEqual({ mayContinue: true, claim: { ...first.claim, beat: first.claim.beat + 1n } });
    const other = await claims.move('purge', renewed.claim, 'another instance');
    expect(await next(takeoverMs / 2)).toEqual({ mayContinue: false, claim: other });
    steps.shift()?.();
    await stop();
    await claims.move('purge', await claims.read('purge'), '');
  });

  it('a stop ends a purge before its next transaction', async () => {
    const { store, seen, steps } = stepwise();
    const { scheduler, stop } = start(store);
    await scheduler.advance(firstMs);
    await expect.poll(() => seen).toEqual([true]);
    const stopped = stop();
    steps.shift()?.();
    await expect.poll(() => seen).toEqual([true, false]);
    steps.shift()?.();
    await stopped;
    const { claims } = stores.store;
    await claims.move('purge', await claims.read('purge'), '');
  });
});
