// SECURITY.md: Bytes from outside
/** The one reader of the log of a process: who gets which entries, and when it reads. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AwaitedEntries, noSubject } from '../../src/domain/audit-entry.ts';
import { LogTail } from '../../src/events/log-tail.ts';
import type { NewEntry } from '../../src/store/changes/change.ts';
import type { AuditListing, EntryHead } from '../../src/store/rows/audit-log.ts';
import { providers } from '../support/databases.ts';
import { ManualScheduler } from '../support/manual-scheduler.ts';
import { openStores } from '../support/stores.ts';
import { write } from '../support/write.ts';

describe.each(providers)('on %s', (provider) => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  beforeAll(async () => {
    stores = await openStores(provider);
  });
  afterAll(() => stores.stop());

  const append = async (teamId: string, count = 1) => {
    const first = await write(stores.store, { entries: new Array<NewEntry>(count).fill(entryOf(teamId)) });
    return first + BigInt(count - 1);
  };

  /** Counts its reads, and lets time pass only in `tick`. */
  const tailOf = () => {
    const scheduler = new ManualScheduler();
    const { auditLog } = stores.store;
    const errors: unknown[] = [];
    const counted = {
      reads: 0,
      fails: false,
      ends: 0,
      underWay: 0,
      lastRevision: async () => {
        counted.ends += 1;
        return await during(auditLog.lastRevision());
      },
      heads: async (listing: AuditListing) => {
        counted.reads += 1;
        if (counted.fails) throw new Error('the database is away');
        return await during(auditLog.heads(listing));
      },
    };
    const during = async <T>(answer: Promise<T>): Promise<T> => {
      counted.underWay += 1;
      return await answer.finally(() => {
        counted.underWay -= 1;
      });
    };
    const tail = new LogTail({ auditLog: counted, report: (error) => errors.push(error), scheduler });
    tail.start();
    const idle = async () => await expect.poll(() => counted.underWay).toBe(0);
    /** Waits until a read that starts now has ended: entries that were committed before are then passed. */
    const tick = async () => {
      await idle();
      const before = counted.reads;
      const read = async () => {
        await scheduler.advance(250);
        return counted.reads;
      };
      await expect.poll(read).toBeGreaterThan(before);
      await idle();
      await scheduler.settle();
    };
    return { tail, counted, errors, scheduler, tick };
  };

  it('passes each later entry to each listener once and in order, more of them than one read returns', async () => {
    const { tail, tick } = tailOf();
    const teamId = randomUUID();
    await append(teamId);
    const passed: EntryHead[][] = [[], []];
    const afters: bigint[] = [];
    tail.subscribe((entries, after) => {
      passed[0]?.push(...entries);
      afters.push(after);
    });
    tail.subscribe((entries) => passed[1]?.push(...entries));
    await tick();
    const last = await append(teamId, 1200);
    await tick();
    await expect.poll(() => passed[1]?.length).toBe(1200);
    const revisions = passed[0]?.map(({ revision }) => revision) ?? [];
    expect(revisions).toEqual(Array.from({ length: 1200 }, (_, i) => last - 1199n + BigInt(i)));
    expect(passed[1]).toEqual(passed[0]);
    expect(afters).toEqual([last - 1200n, last - 700n, last - 200n]);
    expect(passed[0]?.[0]).toMatchObject({ teamId, action: 'EVENTS_REPLAYED', keyId: noSubject, at });
    tail.stop();
  });

  it('ends a wait upon an entry of the team, also one that was committed before the wait, and upon no other', async () => {
    const { tail, tick } = tailOf();
    const [teamId, other] = [randomUUID(), randomUUID()];
    const before = await stores.store.auditLog.lastRevision();
    const first = await append(teamId);
    await tail.waitFor(replayed(teamId, before), 30_000);
    let hasEnded = false;
    const wait = tail.waitFor(replayed(teamId, first), 30_000).then(() => {
      hasEnded = true;
    });
    await append(other);
    await tick();
    expect(hasEnded).toBe(false);
    await append(teamId);
    await tick();
    await wait;
    tail.stop();
  });

  it('ends waits upon their timeout, their signal and the stop', async () => {
    const { tail, scheduler } = tailOf();
    const teamId = randomUUID();
    const abort = new AbortController();
    const end = await stores.store.auditLog.lastRevision();
    const timedOut = tail.waitFor(replayed(teamId, end), 1000);
    const aborted = tail.waitFor(replayed(teamId, end), 30_000, abort.signal);
    const stopped = tail.waitFor(replayed(teamId, end), 30_000);
    await scheduler.advance(1000);
    await timedOut;
    abort.abort();
    await aborted;
    tail.stop();
    await stopped;
    await tail.waitFor(replayed(teamId, end), 30_000);
  });

  it('compares entries with what each call awaits in memory, without a read for each call', async () => {
    const { tail, counted, tick } = tailOf();
    const teamId = randomUUID();
    const end = await append(teamId);
    const ended: string[] = [];
    const waitFor = (what: string, actions: AwaitedEntries['actions']) =>
      tail.waitFor({ teamId, after: end, actions }, 30_000).then(() => ended.push(what));
    const others = Array.from({ length: 60 }, () => waitFor('other', new Set(['KEY_REVOKED'])));
    const one = waitFor('wanted', new Set(['EVENTS_REPLAYED', 'KEY_REVOKED']));
    await tick();
    const before = counted.reads;
    for (let i = 0; i < 10; i += 1) {
      await append(teamId);
      await tick();
    }
    await one;
    expect(ended).toEqual(['wanted']);
    // Of the tail itself: one for each tick, and a second one if the first had a page to pass.
    expect(counted.reads - before).toBeLessThanOrEqual(20);
    tail.stop();
    await Promise.all(others);
  });

  it('ends the wait of a call that is more than a page behind, which has to read itself', async () => {
    const { tail } = tailOf();
    const teamId = randomUUID();
    const end = await append(teamId);
    await append(teamId, 500);
    await tail.waitFor({ teamId, after: end, actions: new Set(['KEY_REVOKED']) }, 30_000);
    tail.stop();
  });

  it('reads nothing while nobody reads, and then passes nothing of that time', async () => {
    const { tail, counted, scheduler, tick } = tailOf();
    const teamId = randomUUID();
    await scheduler.advance(10_000);
    expect(counted.reads).toBe(0);
    const unsubscribe = tail.subscribe(() => undefined);
    await tick();
    unsubscribe();
    await scheduler.advance(1000);
    const before = counted.reads;
    await append(teamId);
    await scheduler.advance(10_000);
    expect(counted.reads).toBe(before);
    const passed: EntryHead[] = [];
    tail.subscribe((entries) => passed.push(...entries));
    await tick();
    const last = await append(teamId);
    await tick();
    await expect.poll(() => passed.map(({ revision }) => revision)).toEqual([last]);
    tail.stop();
  });

  it('notices within an interval that the log was set back, and passes what follows its end', async () => {
    const { tail, counted, errors, tick } = tailOf();
    const [teamId, end] = [randomUUID(), await append(randomUUID())];
    const passed: EntryHead[] = [];
    let resets = 0;
    tail.subscribe(
      (entries) => passed.push(...entries),
      () => {
        resets += 1;
      },
    );
    await tick();
    await append(teamId, 5);
    await tick();
    await expect.poll(() => passed.length).toBe(5);
    const wait = tail.waitFor(replayed(teamId, end + 5n), 30_000);
    await stores.store.changes.housekeep(async (transaction) => {
      await transaction.auditEntry.deleteMany({ where: { revision: { gt: end } } });
      await transaction.revision.update({ where: { id: 1 }, data: { current: end } });
    });
    await tick();
    await expect.poll(() => resets).toBe(1);
    await wait;
    expect(errors).toHaveLength(1);
    await append(teamId, 2);
    await tick();
    await expect.poll(() => passed.slice(5).map(({ revision }) => revision)).toEqual([end + 1n, end + 2n]);
    // New readers do not make it look more often.
    await tick();
    const { ends, reads } = counted;
    for (let i = 0; i < 5; i += 1) {
      tail.subscribe(() => undefined);
      await expect.poll(() => counted.reads).toBeGreaterThan(reads + i);
    }
    expect(counted.ends).toBeLessThanOrEqual(ends + 1);
    tail.stop();
  });

  it('reports that the log can not be read, and continues where it was', async () => {
    const { tail, counted, errors, tick } = tailOf();
    const passed: EntryHead[] = [];
    tail.subscribe((entries) => passed.push(...entries));
    await tick();
    counted.fails = true;
    const last = await append(randomUUID());
    await tick();
    expect(errors).toHaveLength(1);
    counted.fails = false;
    await tick();
    await expect.poll(() => passed.map(({ revision }) => revision)).toEqual([last]);
    tail.stop();
  });
});

const at = new Date('2026-11-26T12:00:00Z');

/** Awaits what `append` appends. */
function replayed(teamId: string, after: bigint): AwaitedEntries {
  return { teamId, after, actions: new Set(['EVENTS_REPLAYED']) };
}

function entryOf(teamId: string): NewEntry {
  const actor = {
    actor: 'test',
    actorKind: 'SESSION',
    credentialId: null,
    source: null,
    requestId: 'r',
    at,
    changes: [],
  } as const;
  return { action: 'EVENTS_REPLAYED', keyId: noSubject, teamId, ...actor, details: null };
}
