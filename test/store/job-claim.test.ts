/** One instance at a time does a job, another one follows it, and no job depends on another one. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JobClaim } from '../../src/store/job-claim.ts';
import type { Job } from '../../src/store/rows/claims.ts';
import { providers } from '../support/databases.ts';
import { ManualScheduler } from '../support/manual-scheduler.ts';
import { openStores } from '../support/stores.ts';

const jobs = ['deliveries', 'operatorEvents', 'timeEvents', 'purge'] as const satisfies Job[];
const standstillMs = 1000;

describe.each(providers)('on %s', (provider) => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  beforeAll(async () => {
    stores = await openStores(provider);
  });
  afterAll(async () => {
    await stores.stop();
  });

  /** Two instances, each with its own clock. Neither holds the job at first. */
  async function instances(job: Job) {
    const of = ({ claims }: (typeof stores)['store']) => {
      const scheduler = new ManualScheduler();
      return { scheduler, claim: new JobClaim({ claims, job, standstillMs, scheduler }) };
    };
    const stored = await stores.store.claims.read(job);
    await stores.store.claims.move(job, stored, '');
    return { first: of(stores.store), second: of(stores.other) };
  }
  /** A write that is seen if it was committed. */
  const mark = (id: string) => ({
    work: async (transaction: Parameters<NonNullable<Parameters<JobClaim['write']>[0]>>[0]) => {
      await transaction.eventProgress.create({ data: { id, state: {} } });
    },
    isWritten: async () => (await stores.store.eventProgress.list(id)).size > 0,
  });

  describe.each(jobs)('the job %s', (job) => {
    it('is taken by one of two instances that try at the same time', async () => {
      const { first, second } = await instances(job);
      const taken = await Promise.all([first.claim.takeOrRenew(), second.claim.takeOrRenew()]);
      expect(taken.toSorted()).toEqual([false, true]);
    });

    it('stays with the instance that renews it, however long that takes', async () => {
      const { first, second } = await instances(job);
      expect(await first.claim.takeOrRenew()).toBe(true);
      for (let i = 0; i < 5; i += 1) {
        expect(await second.claim.takeOrRenew()).toBe(false);
        await second.scheduler.advance(standstillMs - 1);
        expect(await second.claim.takeOrRenew()).toBe(false);
        expect(await first.claim.takeOrRenew()).toBe(true);
      }
    });

    it('is taken from an instance that stands still, which then cannot write anything', async () => {
      const { first, second } = await instances(job);
      await first.claim.takeOrRenew();
      expect(await second.claim.takeOrRenew()).toBe(false);
      await second.scheduler.advance(standstillMs);
      expect(await second.claim.takeOrRenew()).toBe(true);
      const late = mark(randomUUID());
      expect(await first.claim.write(late.work)).toBeNull();
      expect(await late.isWritten()).toBe(false);
      expect(first.claim.held).toBeNull();
      const own = mark(randomUUID());
      expect(await second.claim.write(own.work)).toEqual(await stores.store.claims.read(job));
      expect(await own.isWritten()).toBe(true);
    });

    it('is taken at once after a release, whose work is written with it', async () => {
      const { first, second } = await instances(job);
      await first.claim.takeOrRenew();
      expect(await second.claim.takeOrRenew()).toBe(false);
      const last = mark(randomUUID());
      expect(await first.claim.release(last.work)).not.toBeNull();
      expect(await last.isWritten()).toBe(true);
      expect(first.claim.held).toBeNull();
      expect(await second.claim.takeOrRenew()).toBe(true);
    });
  });

  it('a job that hangs keeps no other job from its holder, and is the only one that another instance takes', async () => {
    const all = await Promise.all(jobs.map(instances));
    for (const { first } of all) await first.claim.takeOrRenew();
    const renewed = all.filter((_, i) => jobs[i] !== 'purge');
    for (const { second } of all) expect(await second.claim.takeOrRenew()).toBe(false);
    for (const { first, second } of renewed) {
      expect(await first.claim.takeOrRenew()).toBe(true);
      await second.scheduler.advance(standstillMs);
    }
    await all[jobs.indexOf('purge')]?.second.scheduler.advance(standstillMs);
    const taken = await Promise.all(all.map(({ second }) => second.claim.takeOrRenew()));
    expect(jobs.filter((_, i) => taken[i])).toEqual(['purge']);
  });

  it('a holder stops relying on its claim before another instance can take it', async () => {
    const { first, second } = await instances('deliveries');
    expect(first.claim.isSafe).toBe(false);
    await first.claim.takeOrRenew();
    await second.claim.findTakeable();
    for (const { scheduler } of [first, second]) await scheduler.advance(standstillMs * 0.7);
    expect(first.claim.isSafe).toBe(true);
    for (const { scheduler } of [first, second]) await scheduler.advance(standstillMs * 0.2);
    expect(first.claim.isSafe).toBe(false);
    expect(await second.claim.findTakeable()).toBeNull();
  });

  it('a holder loses its claim if the database was set back, and takes it again', async () => {
    const { first } = await instances('deliveries');
    await first.claim.takeOrRenew();
    const { claims } = stores.store;
    const before = await claims.read('deliveries');
    await first.claim.write();
    // The row as it was in a backup.
    const now = await claims.read('deliveries');
    await stores.store.changes.housekeep(async ({ jobClaim }) => {
      await jobClaim.updateMany({ where: { beat: now.beat, holder: now.holder }, data: before });
    });
    expect(await first.claim.write()).toBeNull();
    expect(await first.claim.takeOrRenew()).toBe(true);
  });
});
