/** One instance purges, and another one follows when it stops, is killed or hangs. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { purgeAsHolder, startPurging, takeoverMs } from '../../src/manage/upkeep/purge.ts';
import { JobClaim } from '../../src/store/job-claim.ts';
import type { Store } from '../../src/store/store.ts';
import { providers } from '../support/databases.ts';
import { ManualScheduler } from '../support/manual-scheduler.ts';
import { openStores } from '../support/stores.ts';

const retention = { usageDays: 90 };
const intervalMs = 600_000;

describe.each(providers)('on %s', (provider) => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  beforeAll(async () => {
    stores = await openStores(provider);
  });
  afterAll(async () => {
    await stores.stop();
  });

  function instance(store: Store) {
    const scheduler = new ManualScheduler();
    const claim = new JobClaim({ claims: store.claims, job: 'purge', standstillMs: takeoverMs, scheduler });
    return { scheduler, claim, purge: async () => await purgeAsHolder(claim, store, retention, new Date()) };
  }
  async function startTwo(adapt: (store: Store) => Store = (store) => store) {
    const { claims } = stores.store;
    await claims.move('purge', await claims.read('purge'), '');
    return { first: instance(adapt(stores.store)), second: instance(stores.other) };
  }
  /** Adds a record that has expired. Returns whether it is still there. */
  async function addExpired() {
    const id = randomUUID();
    const record = { id, fingerprint: '', keyId: id, expiresAt: new Date(0) };
    await stores.store.changes.housekeep(({ idempotentCreate }) => idempotentCreate.create({ data: record }));
    return async () =>
      await stores.store.changes.housekeep(
        async ({ idempotentCreate }) => (await idempotentCreate.count({ where: { id } })) > 0,
      );
  }

  it('of two instances, the one that purged first goes on to purge', async () => {
    const { first, second } = await startTwo();
    for (let i = 0; i < 4; i += 1) {
      const isKept = await addExpired();
      expect(await first.purge()).toEqual({ auditEntries: 0, revokedKeys: 0 });
      expect(await isKept()).toBe(false);
      expect(await second.purge()).toBeNull();
      await second.scheduler.advance(intervalMs);
    }
  });

  it('another instance purges when the first one was killed', async () => {
    const { first, second } = await startTwo();
    await first.purge();
    const isKept = await addExpired();
    expect(await second.purge()).toBeNull();
    await second.scheduler.advance(takeoverMs - 1);
    expect(await second.purge()).toBeNull();
    await second.scheduler.advance(1);
    expect(await second.purge()).not.toBeNull();
    expect(await isKept()).toBe(false);
    expect(await first.purge()).toBeNull();
  });

  it('a purge that hangs stops neither another instance nor another job of its own', async () => {
    const hanging = new Promise<never>(() => undefined);
    const { first, second } = await startTwo((store) =>
      Object.assign(Object.create(store), { purge: { idempotentCreates: () => hanging } }),
    );
    void first.purge();
    while (first.claim.held === null) await sleep(1);
    const jobs = (['deliveries', 'operatorEvents', 'timeEvents'] as const).map(
      (job) => new JobClaim({ claims: stores.store.claims, job, standstillMs: 1000, scheduler: first.scheduler }),
    );
    for (const claim of jobs) expect(await claim.takeOrRenew()).toBe(true);
    expect(await second.purge()).toBeNull();
    await second.scheduler.advance(takeoverMs);
    expect(await second.purge()).not.toBeNull();
  });

  // The last test, because it stops the purge of its store.
  it('another instance purges at its next time when the first one has stopped', async () => {
    const { second } = await startTwo();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const { claims } = stores.store;
    const errors: unknown[] = [];
    const purging = startPurging(
      stores.store,
      retention,
      () => undefined,
      (error) => errors.push(error),
    );
    expect((await claims.read('purge')).holder).toBe('');
    vi.advanceTimersByTime(intervalMs);
    while ((await claims.read('purge')).holder === '') await sleep(1);
    expect(await second.purge()).toBeNull();
    await purging.stop();
    expect(await second.purge()).not.toBeNull();
    expect(errors).toEqual([]);
  });
});
