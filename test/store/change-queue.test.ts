// SECURITY.md: Hostile tenant
/** What changes to keys may rely on: one order of revisions, and no change spoiled by another. */
import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ApiKey } from '../../src/domain/key/api-key.ts';
import { type DatabaseProvider, parseDatabaseUrl } from '../../src/lib/database-address.ts';
import { type Scheduler, systemScheduler } from '../../src/lib/scheduler.ts';
import { queueChange } from '../../src/manage/change/change-key.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import { importKeys } from '../../src/manage/change/import-keys.ts';
import { enableKey, revoked, revokeKey } from '../../src/manage/change/key-state.ts';
import { disableSigning } from '../../src/manage/change/signing.ts';
import { updateKey } from '../../src/manage/change/update-key.ts';
import { auditEntry } from '../../src/manage/management.ts';
import { Decision, type Load } from '../../src/store/changes/change.ts';
import { ChangeQueue } from '../../src/store/changes/change-queue.ts';
import { creationIn, keyWithId } from '../../src/store/changes/key-state.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { providers } from '../support/databases.ts';
import { inTests } from '../support/in-tests.ts';
import { callerOf, importing, secondInstance, startService } from '../support/service.ts';
import { nothing } from '../support/write.ts';

/** A team of a service with its own database, which tests of a block share. */
function useTeams(provider: DatabaseProvider) {
  const running = inTests(() => startService(provider));
  const newTeam = () => {
    const { management } = running.service;
    const team = randomUUID();
    const caller = callerOf({ [team]: importing });
    const create = () => createKey(management, caller, { teamId: team, name: 'Name', env: 'live' });
    const trail = (limit = 100) => management.store.auditLog.list({ teamId: team, limit });
    return { management, store: management.store, team, caller, create, trail };
  };
  return { running, newTeam };
}

describe.each(providers)('on %s', (provider) => {
  const { running, newTeam } = useTeams(provider);

  it('concurrent changes of several instances get distinct revisions, and the key has the last one', async () => {
    const others = [await secondInstance(running), await secondInstance(running)];
    const { management: first, caller, create, trail, store } = newTeam();
    const managements = [first, ...others.map(({ management }) => management)];
    const { apiKey } = await create();
    const rounds = Array.from({ length: 20 }, (_, round) =>
      managements.map((one, i) => updateKey(one, caller, apiKey.id, { name: `Name ${round} of ${i}` })),
    );
    await Promise.all(rounds.flat());

    const entries = await trail();
    expect(entries).toHaveLength(61);
    expect(new Set(entries.map(({ revision }) => revision)).size).toBe(61);
    // Each change was decided on the state that the one before it had left.
    const names = [...entries].reverse().map(({ changes }) => changes.find(({ field }) => field === 'name'));
    for (const [i, name] of names.entries()) expect(name?.before).toBe(i === 0 ? null : names[i - 1]?.after);
    expect((await store.keys.find(apiKey.id))?.name).toBe(names.at(-1)?.after);
    for (const other of others) await other.close();
  });

  it("a change that can't be written fails alone; the others of its group are written", async () => {
    const { store, team, caller, create, trail } = newTeam();
    const { apiKey } = await create();
    const submit = (key: ApiKey) => {
      const write = { key, isNew: true, entries: [auditEntry(caller, 'KEY_CREATED', null, key)] };
      return store.changes.submit({
        queueKey: team,
        load: creationIn(team),
        decide: () => new Decision(key.id, write),
      });
    };
    const fresh = (): ApiKey => ({ ...apiKey, id: randomUUID(), prefix: randomUUID(), digest: randomUUID() });
    // The same prefix and digest again, which no database takes.
    const clashing: ApiKey = { ...apiKey, id: randomUUID() };
    const results = await Promise.allSettled([submit(fresh()), submit(clashing), submit(fresh())]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await store.keys.find(clashing.id)).toBeNull();
    const keyIds = (await trail()).map(({ keyId }) => keyId);
    expect(keyIds).toHaveLength(3);
    expect(keyIds).not.toContain(clashing.id);
  });

  it('a change sees the revision that the one before it in its group has left', async () => {
    const { management, caller, create, store } = newTeam();
    const { apiKey } = await create();
    const rename = (name: string) => updateKey(management, caller, apiKey.id, { name });
    const [first, second, same] = await Promise.all([rename('First'), rename('Second'), rename('Second')]);
    expect(first.revision).toBeGreaterThan(apiKey.revision);
    expect(second.revision).toBeGreaterThan(first.revision);
    expect(same.revision).toBe(second.revision);
    expect(await store.keys.find(apiKey.id)).toEqual(second);
  });

  it('a change that is submitted the moment another was answered is not forgotten', async () => {
    const { create, trail } = newTeam();
    for (let i = 0; i < 20; i += 1) await create();
    expect(await trail()).toHaveLength(20);
  });

  it('an error within a group takes no revision from the others and writes nothing', async () => {
    const { store, team, create, trail } = newTeam();
    const decide = () => {
      throw new Error('rejected');
    };
    const failing = store.changes.submit({ queueKey: team, load: creationIn(team), decide });
    const results = await Promise.allSettled([create(), failing, create()]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await trail()).toHaveLength(2);
  });
});

describe.each(providers)('on %s, the queue', (provider) => {
  const { running, newTeam } = useTeams(provider);

  it('at most eight changes of a team share a transaction within a second of a change of another, else 25', async () => {
    const [many, other] = [randomUUID(), randomUUID()];
    const { groups, submit } = groupsOf(newTeam().store.changes);
    const submitMany = async () => {
      await Promise.all(Array.from({ length: 30 }, () => submit(many)));
      return groups.splice(0);
    };
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    expect(await submitMany()).toEqual([25, 5]);
    await submit(other);
    groups.splice(0);
    expect(await submitMany()).toEqual([8, 8, 8, 6]);
    vi.advanceTimersByTime(999);
    expect(await submitMany()).toEqual([8, 8, 8, 6]);
    vi.advanceTimersByTime(1);
    expect(await submitMany()).toEqual([25, 5]);
  });

  it('of teams that share a transaction, each has at most five changes in it', async () => {
    const { groups, submit } = groupsOf(newTeam().store.changes);
    const teams = [randomUUID(), randomUUID()];
    await Promise.all(teams.flatMap((team) => Array.from({ length: 12 }, () => submit(team))));
    // Five of one team end a group, in which the other has four.
    expect(groups).toEqual([9, 9, 6]);
  });

  it('changes of many teams that are submitted in one turn of the event loop share a transaction', async () => {
    const { groups, submit } = groupsOf(newTeam().store.changes);
    await Promise.all(Array.from({ length: 100 }, () => submit(randomUUID())));
    expect(groups).toEqual([100]);
  });

  it('changes that arrive within a few turns of the event loop share a transaction', async () => {
    const { groups, submit } = groupsOf(newTeam().store.changes);
    const submitted: Promise<unknown>[] = [];
    for (let turn = 0; turn < 5; turn += 1) {
      submitted.push(submit(randomUUID()));
      await nextTurn();
    }
    await Promise.all(submitted);
    expect(groups).toEqual([5]);
  });

  it('changes that read for themselves have a transaction each, one between two groups of changes of keys', async () => {
    const { changes } = newTeam().store;
    const { groups, submit } = groupsOf(changes);
    const decided: number[] = [];
    const alone = (queueKey: string) =>
      changes.submit({ queueKey, load: nothing, decide: () => new Decision(decided.push(groups.length)) });
    await Promise.all([submit('first'), alone('busy'), alone('busy'), alone('busy'), submit('quiet')]);
    expect(groups).toEqual([2]);
    expect(decided).toEqual([1, 1, 1]);
    // However many wait, and of however many teams, a change of a key is in the next group.
    const many = Array.from({ length: 50 }, () => alone(randomUUID()));
    await many[0];
    const before = decided.length;
    await submit('urgent');
    expect(decided.length - before).toBeLessThanOrEqual(2);
    await Promise.all(many);
  });

  it('a change with several entries has the revision of the last one, and no other change gets one of them', async () => {
    const { caller, create, store, trail } = newTeam();
    const { apiKey } = await create();
    const entry = auditEntry(caller, 'KEY_EXPOSED', apiKey, apiKey);
    const exposed = store.changes.submit({
      queueKey: 'a report',
      load: keyWithId(apiKey.id),
      decide: (_, revision) => new Decision(revision, { key: apiKey, entries: [entry, entry, entry] }),
    });
    const [first, { apiKey: next }] = await Promise.all([exposed, create()]);
    expect((await trail()).map(({ revision }) => revision).slice(0, 4)).toEqual([
      first + 3n,
      first + 2n,
      first + 1n,
      first,
    ]);
    expect((await store.keys.find(apiKey.id))?.revision).toBe(first + 2n);
    expect(next.revision).toBe(first + 3n);
    expect((await create()).apiKey.revision).toBe(first + 4n);
  });

  it('changes of one team that wait do not delay the change of another', async () => {
    const [noisy, quiet] = [newTeam(), newTeam()];
    const many = Array.from({ length: 50 }, () => noisy.create());
    const { apiKey } = await quiet.create();
    const before = (await Promise.all(many)).filter((created) => created.apiKey.revision < apiKey.revision);
    expect(before).toHaveLength(1);
  });

  it('takes a revoke while thousands of changes of other teams wait, and writes it in the next transaction', async () => {
    const { management, store, caller, create } = newTeam();
    const { apiKey } = await create();
    // What the running operations of six teams can have submitted: 5 calls of `changeKeys` with 100 keys each.
    const teams = Array.from({ length: 6 }, () => randomUUID());
    const submit = (team: string) =>
      store.changes.submit({ queueKey: team, load: creationIn(team), decide: () => new Decision(team) });
    const others = Promise.allSettled(teams.flatMap((team) => Array.from({ length: 500 }, () => submit(team))));
    const { revokedAt } = await queueChange(management, caller, apiKey, revoked(caller), 'restrict');
    expect(revokedAt).toEqual(caller.now);
    expect(store.changes.length).toBeGreaterThan(2900);
    await others;
  });

  it('changes that change nothing, dry runs and rejected changes take no transaction', async () => {
    const { management, team, caller, create } = newTeam();
    const { apiKey } = await create();
    await revokeKey(management, caller, apiKey.id);
    const last = await create();
    const { id } = last.apiKey;
    for (let i = 0; i < 3; i += 1) {
      await updateKey(management, caller, id, { name: 'Name' });
      await enableKey(management, caller, id);
      await disableSigning(management, caller, id);
      await revokeKey(management, caller, apiKey.id);
      const change = updateKey(management, caller, apiKey.id, { name: 'Other' });
      await expect(change).rejects.toMatchObject({ code: 'KEY_REVOKED' });
      const stale = updateKey(management, caller, id, { name: 'Other' }, ['another revision']);
      await expect(stale).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
      const keys = [{ digest: 'a'.repeat(64), name: 'Imported', env: 'live' as const }];
      const { results } = await importKeys(management, caller, { teamId: team, keys, dryRun: true });
      expect(results).toEqual([{ outcome: 'IMPORTED', apiKey: null, policyViolations: [] }]);
    }
    // Each transaction takes revisions.
    expect((await create()).apiKey.revision).toBe(last.apiKey.revision + 1n);
  });

  it('writes that go first run before all others that wait', async () => {
    const { changes } = newTeam().store;
    const ran: string[] = [];
    const perform = (name: string, isFirst: boolean) => changes.housekeep(async () => void ran.push(name), { isFirst });
    await Promise.all([perform('a', false), perform('b', false), perform('first', true)]);
    expect(ran).toEqual(['first', 'a', 'b']);
  });

  it('a team whose writes wait delays another team by one write, also if these are no changes of keys', async () => {
    const { changes } = newTeam().store;
    const ran: string[] = [];
    const perform = (holder: string) => changes.housekeep(async () => void ran.push(holder), { holder });
    await Promise.all([...Array.from({ length: 5 }, () => perform('busy')), perform('patient')]);
    expect(ran).toEqual(['busy', 'patient', 'busy', 'busy', 'busy', 'busy']);
  });

  // The last ones: the lease stays.
  it('with a lease, a revoke that finds its key revoked is answered no earlier than the revoke that did it', async () => {
    const { management, store, caller, create } = newTeam();
    const { apiKey } = await create();
    await store.raiseLease(300);
    const answered: string[] = [];
    const first = revokeKey(management, caller, apiKey.id).then(() => answered.push('first'));
    const isRevoked = async () => (await store.keys.find(apiKey.id))?.revokedAt !== null;
    await expect.poll(isRevoked, { interval: 1 }).toBe(true);
    const again = revokeKey(management, caller, apiKey.id).then(() => answered.push('again'));
    await Promise.all([first, again]);
    expect(answered).toEqual(['first', 'again']);
  });

  it('with a lease, the answer to a change of a key waits for it, and that to a change that no instance keeps does not', async () => {
    const { store, team, create } = newTeam();
    const { apiKey } = await create();
    await store.raiseLease(300);
    const address = parseDatabaseUrl(running.database.url);
    if (address === null) throw new Error('the address is not valid');
    const database = await openDatabase(address);
    onTestFinished(() => database.close());
    const ends: (() => void)[] = [];
    const after: Scheduler['after'] = (ms, callback) => {
      const isLease = ms > 300 && ms < 400;
      if (!isLease) return systemScheduler.after(ms, callback);
      ends.push(callback);
      return () => undefined;
    };
    const changes = new ChangeQueue(database, { ...systemScheduler, after });
    const answered: string[] = [];
    const submit = <State>(name: string, load: Load<State>) => {
      const decide = () => new Decision(name);
      return changes.submit({ queueKey: team, load, decide }).then(() => answered.push(name));
    };
    const ofKey = submit('of a key', keyWithId(apiKey.id));
    await submit('of an endpoint', nothing);
    await expect.poll(() => ends.length).toBe(1);
    expect(answered).toEqual(['of an endpoint']);
    for (const end of ends) end();
    await ofKey;
    expect(answered).toEqual(['of an endpoint', 'of a key']);
  });
});

describe('on SQLite', () => {
  const { newTeam } = useTeams('sqlite');

  it('on SQLite, other work of the process goes on between the statements of a transaction', async () => {
    const { store, team, create } = newTeam();
    const { apiKey } = await create();
    let turns = 0;
    let within = 0;
    const next = () => {
      turns += 1;
      counting = setImmediate(next);
    };
    let counting = setImmediate(next);
    const decide = () => {
      within = turns;
      return new Decision(null, { key: apiKey });
    };
    await store.changes.submit({ queueKey: team, load: keyWithId(apiKey.id), decide });
    clearImmediate(counting);
    // Before the update and before the commit.
    expect(turns - within).toBeGreaterThanOrEqual(2);
  });
});

describe('without a database, the queue', () => {
  const cancelled = () =>
    new Error('canceling statement due to statement timeout', { cause: { originalCode: '57014' } });

  it('tries changes whose transaction was cancelled again, before those that have arrived since', async () => {
    const [begun, canBeCancelled] = [newSignal(), newSignal()];
    const transactions = [
      async () => {
        begun.give();
        await canBeCancelled.given;
        throw cancelled();
      },
    ];
    const queue = queueOn(async () => {
      await transactions.shift()?.();
      throw Object.assign(new Error('full'), { code: 'ENFILE' });
    });
    const rejected: unknown[] = [];
    const submit = (keyId: string) =>
      queue
        .submit({ queueKey: 'team', load: keyWithId(keyId), decide: () => new Decision(null) })
        .catch((error) => void rejected.push([keyId, error.cause.code]));
    const first = [submit('first'), submit('second')];
    await begun.given;
    const later = Array.from({ length: 60 }, (_, i) => submit(`later ${i}`));
    canBeCancelled.give();
    await Promise.all([...first, ...later]);
    expect(rejected.slice(0, 3)).toEqual(['first', 'second', 'later 0'].map((keyId) => [keyId, 'ENFILE']));
  });

  it('tries housekeeping whose transaction was cancelled again, once', async () => {
    let transactions = 0;
    const queue = queueOn(async () => {
      transactions += 1;
      throw cancelled();
    });
    await expect(queue.housekeep(async () => undefined)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(transactions).toBe(2);
  });

  it('does not write a change whose deadline passes while it waits', async () => {
    const [begun, canEnd] = [newSignal(), newSignal()];
    let transactions = 0;
    const deadlines: (() => void)[] = [];
    const after: Scheduler['after'] = (_, callback) => {
      deadlines.push(callback);
      return () => undefined;
    };
    const queue = queueOn(
      async () => {
        transactions += 1;
        begun.give();
        await canEnd.given;
        return { settlements: [], receipted: [], leaseMs: 0 };
      },
      { ...systemScheduler, after },
    );
    const submit = () => queue.submit({ queueKey: 'team', load: keyWithId(''), decide: () => new Decision(null) });
    void submit();
    await begun.given;
    const waiting = submit();
    deadlines[1]?.();
    await expect(waiting).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    canEnd.give();
    await queue.idle();
    expect(transactions).toBe(1);
  });
});

/** A queue on a stub of what it uses to write. */
function queueOn($transaction: () => Promise<unknown>, scheduler?: Scheduler): ChangeQueue {
  const database = { provider: 'postgresql', writer: { $transaction }, resetWriter: async () => undefined };
  return new ChangeQueue(database as unknown as Database, scheduler);
}

function newSignal() {
  let give = (): void => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

/** Submits changes, and tells how many of them share each transaction. */
function groupsOf(changes: ChangeQueue) {
  const groups: number[] = [];
  let isOpen = false;
  // The changes of a group are decided without a pause between them.
  const decide = () => {
    if (!isOpen) {
      groups.push(0);
      queueMicrotask(() => {
        isOpen = false;
      });
    }
    isOpen = true;
    groups.push((groups.pop() ?? 0) + 1);
    return new Decision(null);
  };
  const submit = (queueKey: string) => changes.submit({ queueKey, load: keyWithId(randomUUID()), decide });
  return { groups, submit };
}
