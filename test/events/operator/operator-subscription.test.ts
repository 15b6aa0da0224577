// SECURITY.md: Bytes from outside
/** The operator's receiver gets every event of every team, in order, whatever happens to it and to the instances. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OpaqueRevisions } from '../../../src/domain/opaque-revisions.ts';
import { formsOf } from '../../../src/events/forms/forms.ts';
import { EventsReceiver } from '../../../src/events/operator/events-receiver.ts';
import {
  maxBatchEvents,
  OperatorSubscription,
  takeoverMs,
} from '../../../src/events/operator/operator-subscription.ts';
import type { DatabaseProvider } from '../../../src/lib/database-address.ts';
import { takeRevisions } from '../../../src/store/changes/revisions.ts';
import { beginProgress, progressIn, saveProgress } from '../../../src/store/rows/event-progress.ts';
import type { Store } from '../../../src/store/store.ts';
import { providers, theProvider } from '../../support/databases.ts';
import { ManualScheduler } from '../../support/manual-scheduler.ts';
import { openStores } from '../../support/stores.ts';
import { write } from '../../support/write.ts';
import { addKeys } from '../clock/keys.ts';
import { startReceiver } from './receiver.ts';

const token = 'a-token-of-the-receiver';
const form = formsOf({ source: 'urn:test', version: '0' }).STANDARD;

/** A store, whose log the instances read, and a receiver. */
async function setUp(provider: DatabaseProvider = theProvider) {
  const stores = await openStores(provider);
  const receiver = await startReceiver();
  const instances: { stop: () => Promise<void> }[] = [];
  onTestFinished(async () => {
    for (const { stop } of instances) await stop();
    await stores.stop();
  });
  const revisions = new OpaqueRevisions(await stores.store.readIdSecret());
  const reports: string[] = [];
  const start = (store: Store, timeoutMs?: number) => {
    const scheduler = new ManualScheduler();
    const to = new EventsReceiver({ url: receiver.url, token, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
    let wake = () => undefined as unknown;
    const subscription = new OperatorSubscription({
      store,
      revisions,
      form,
      receiver: to,
      tail: {
        subscribe: (listener) => {
          wake = listener;
          return () => undefined;
        },
      },
      scheduler,
      random: () => 0,
      report: (error, what) => reports.push(`${what}: ${error}`),
    });
    subscription.start();
    const stop = async () => {
      await subscription.stop();
      to.close();
    };
    instances.push({ stop });
    return {
      stop,
      scheduler,
      wake: () => wake(),
      /** Lets time pass until a condition holds. */
      until: async (condition: () => boolean | Promise<boolean>, stepMs = 250) => {
        while (!(await condition())) {
          await scheduler.advance(stepMs);
          await sleep(1);
        }
      },
    };
  };
  const began = async () => (await stores.store.eventProgress.list('operator')).size > 0;
  const progress = async () => JSON.stringify([...(await stores.store.eventProgress.list('operator'))]);
  /** Whether the last entry of the log is stored as sent, which happens some time after the receiver has it. */
  const isSaved = async () => (await progress()).includes(`"revision":"${await stores.store.auditLog.lastRevision()}"`);
  return { stores, receiver, reports, start, began, progress, isSaved };
}

/** Appends entries to the log. Returns what tells them apart, in their order. */
async function append(store: Store, count: number, keyId: string = randomUUID(), text = ''): Promise<string[]> {
  const requests = Array.from({ length: count }, () => randomUUID());
  const entry = {
    action: 'KEY_UPDATED',
    actor: 'tester',
    actorKind: 'SESSION',
    credentialId: null,
    source: null,
    details: null,
  } as const;
  const changes = text === '' ? [] : [{ field: 'description', before: null, after: text }];
  const subject = () => ({ keyId, teamId: randomUUID(), at: new Date() });
  await write(store, { entries: requests.map((requestId) => ({ ...entry, requestId, changes, ...subject() })) });
  return requests;
}

/** What an instance before 0.2 does: it compares the whole row, which says who sends. */
function olderInstance(store: Store) {
  type Row = { readonly revision: string; readonly holder: string; readonly beat: number };
  const holder = randomUUID();
  let seen: { readonly text: string; readonly since: number } | null = null;
  let sending: { readonly row: Row; readonly last: bigint } | null = null;
  const read = async () => (await store.eventProgress.list('operator')).get('operator') as unknown as Row;
  const ordered = ({ revision, holder: name, beat }: Row) => JSON.stringify([revision, name, beat]);
  const save = async (before: Row | null, revision: string) => {
    const after = { revision, holder, beat: (before?.beat ?? 0) + 1 };
    let isSaved = false;
    await store.changes.housekeep(async (transaction, bulk) => {
      await takeRevisions(transaction, 0);
      const stored = (await progressIn(transaction, 'operator')).get('operator') as unknown as Row;
      isSaved = before === null || ordered(stored) === ordered(before);
      if (isSaved) await saveProgress('operator', after)(bulk);
    });
    return isSaved ? after : null;
  };
  return {
    begin: async () => await save(null, String(await store.auditLog.lastRevision())),
    /** Begins to send what follows the position, if it holds the row or may take it at this time. */
    send: async (now: number) => {
      let row: Row | null = await read();
      const entries = await store.auditLog.list({ after: BigInt(row.revision), oldestFirst: true, limit: 100 });
      const last = entries.at(-1)?.revision;
      if (last === undefined) return [];
      if (seen?.text !== ordered(row)) seen = { text: ordered(row), since: now };
      if (row.holder !== holder) {
        const mayTake = row.holder === '' || now - seen.since >= 40_000;
        row = mayTake ? await save(row, row.revision) : null;
      }
      sending = row === null ? null : { row, last };
      return row === null ? [] : entries.map(({ requestId }) => requestId);
    },
    /** Saves that this was accepted. Returns false if another instance has changed the row. */
    accepted: async () => sending !== null && (await save(sending.row, String(sending.last))) !== null,
  };
}

const requestsOf = (events: readonly { data: Record<string, unknown> }[]) => events.map(({ data }) => data.requestId);

it('sends the events of all teams as compressed NDJSON with the token, from the moment it was first configured', async () => {
  const { stores, receiver, start, began } = await setUp();
  const [keyId = ''] = await addKeys(stores.store, [{ name: 'Payments' }]);
  await append(stores.store, 3);
  const instance = start(stores.store);
  await instance.until(began);
  const expected = [...(await append(stores.store, 3)), ...(await append(stores.store, 1, keyId))];
  instance.wake();
  await instance.until(() => receiver.accepted().length >= 4);
  expect(requestsOf(receiver.accepted())).toEqual(expected);
  expect(receiver.accepted().at(-1)).toMatchObject({
    type: 'key.updated',
    data: { key: { id: keyId, name: 'Payments' } },
  });
  expect(receiver.batches[0]?.headers).toMatchObject({
    authorization: `Bearer ${token}`,
    'content-type': 'application/x-ndjson',
    'content-encoding': 'gzip',
  });
});

it('sends batches of at most 500 events and one megabyte, in order', async () => {
  const { stores, receiver, start, began } = await setUp();
  const instance = start(stores.store);
  await instance.until(began);
  const expected = await append(stores.store, 2 * maxBatchEvents + 1);
  expected.push(...(await append(stores.store, 100, randomUUID(), 'x'.repeat(14_000))));
  await instance.until(() => receiver.accepted().length >= expected.length);
  expect(requestsOf(receiver.accepted())).toEqual(expected);
  for (const { events, bytes } of receiver.batches) {
    expect(events.length).toBeLessThanOrEqual(maxBatchEvents);
    expect(bytes).toBeLessThanOrEqual(1_000_000);
  }
  expect(receiver.batches).toHaveLength(4);
});

it('writes nothing while no event waits', async () => {
  const { stores, receiver, start, began, progress, isSaved } = await setUp();
  const instance = start(stores.store);
  await instance.until(began);
  await append(stores.store, 1);
  await instance.until(isSaved);
  const end = instance.scheduler.now();
  const before = await progress();
  await instance.until(() => instance.scheduler.now() > end + 600_000, 5000);
  expect(await progress()).toBe(before);
  expect(receiver.batches).toHaveLength(1);
});

it('takes nothing over from an instance that writes nothing because no event waits', async () => {
  const { stores, receiver, start, began, isSaved } = await setUp();
  const first = start(stores.store);
  await first.until(began);
  let reads = 0;
  let goOn = () => {};
  const mayGoOn = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const list = async (prefix: string) => {
    const states = await stores.other.eventProgress.list(prefix);
    reads += 1;
    await mayGoOn;
    return states;
  };
  const expected = await append(stores.store, 1);
  const second = start(Object.assign(Object.create(stores.other), { eventProgress: { list } }));
  // The second one reads the position before the first one saves the next, and the claim after that.
  await second.until(() => reads === 1, 0);
  await first.until(isSaved);
  goOn();
  const nextCheck = async (stepMs: number) => {
    const before = reads;
    await second.until(() => reads > before, stepMs);
  };
  while (second.scheduler.now() < 2 * takeoverMs) await nextCheck(5000);
  await nextCheck(5000);
  const { holder } = await stores.store.claims.read('operatorEvents');
  expected.push(...(await append(stores.store, 1)));
  second.wake();
  await nextCheck(0);
  await first.until(isSaved);
  expect(requestsOf(receiver.accepted())).toEqual(expected);
  expect((await stores.store.claims.read('operatorEvents')).holder).toBe(holder);
});

it('repeats a rejected batch after growing pauses, and reports neither token nor URL', async () => {
  const { stores, receiver, reports, start, began } = await setUp();
  const instance = start(stores.store);
  await instance.until(began);
  const times: number[] = [];
  receiver.answerTo = () => {
    times.push(instance.scheduler.now());
    return { status: times.length <= 12 ? 500 : 200 };
  };
  const expected = await append(stores.store, 2);
  await instance.until(() => times.length >= 12, 1000);
  // Meanwhile nothing is lost, and nothing overtakes.
  expected.push(...(await append(stores.store, 1)));
  await instance.until(() => receiver.accepted().length >= 3, 1000);
  expect(requestsOf(receiver.accepted())).toEqual(expected);
  const pauses = times.slice(1).map((time, i) => time - (times[i] ?? 0));
  // Half of 1, 2, 4 … 300 seconds: the shortest that the jitter allows.
  for (const [i, pause] of pauses.entries()) expect(pause).toBeGreaterThanOrEqual(Math.min(500 * 2 ** i, 150_000));
  expect(reports).toContain('events could not be sent to EVENTS_URL; retrying in 1 s: Error: status 500');
  expect(reports.join()).not.toContain(token);
  expect(reports.join()).not.toContain('127.0.0.1');
});

it('waits as long as the receiver asks', async () => {
  const { stores, receiver, start, began } = await setUp();
  const instance = start(stores.store);
  await instance.until(began);
  const times: number[] = [];
  receiver.answerTo = () => {
    times.push(instance.scheduler.now());
    return times.length === 1 ? { status: 503, headers: { 'retry-after': '120' } } : { status: 200 };
  };
  await append(stores.store, 1);
  await instance.until(() => times.length >= 2, 1000);
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(120_000);
});

it('sends smaller batches to a receiver for which they are too large', async () => {
  const { stores, receiver, start, began } = await setUp();
  receiver.answerTo = (events) => ({ status: events.length > 30 ? 413 : 200 });
  const instance = start(stores.store);
  await instance.until(began);
  const expected = await append(stores.store, 200);
  await instance.until(() => receiver.accepted().length >= 200);
  expect(requestsOf(receiver.accepted())).toEqual(expected);
  const sizes = receiver.batches.map(({ events }) => events.length);
  expect(sizes.slice(0, 4)).toEqual([200, 100, 50, 25]);
  expect(Math.max(...sizes.slice(3))).toBe(25);
});

it('sends larger batches again some time after one was too large', async () => {
  const { stores, receiver, start, began } = await setUp();
  receiver.answerTo = () => ({ status: receiver.batches.length === 0 ? 413 : 200 });
  const instance = start(stores.store);
  await instance.until(began);
  const expected = await append(stores.store, 2);
  await instance.until(() => receiver.accepted().length >= 2);
  for (let i = 0; i < 8; i += 1) {
    expected.push(...(await append(stores.store, 1)));
    await instance.until(() => receiver.accepted().length >= expected.length);
  }
  expected.push(...(await append(stores.store, 2)));
  await instance.until(() => receiver.accepted().length >= expected.length);
  expect(receiver.batches.at(-1)?.events).toHaveLength(2);
  expect(requestsOf(receiver.accepted())).toEqual(expected);
});

it('repeats a batch whose receiver does not answer', async () => {
  const { stores, receiver, reports, start, began } = await setUp();
  receiver.answerTo = () => (receiver.batches.length < 2 ? null : { status: 200 });
  const instance = start(stores.store, 100);
  await instance.until(began);
  const expected = await append(stores.store, 1);
  await instance.until(() => receiver.accepted().length >= 1);
  expect(requestsOf(receiver.accepted())[0]).toBe(expected[0]);
  expect(reports.filter((text) => text.endsWith('timed out')).length).toBeGreaterThanOrEqual(2);
});

it('does not follow redirects, which would get the token', async () => {
  const { stores, receiver, reports, start, began } = await setUp();
  const other = await startReceiver();
  receiver.answerTo = () =>
    receiver.batches.length === 0 ? { status: 307, headers: { location: other.url } } : { status: 200 };
  const instance = start(stores.store);
  await instance.until(began);
  const expected = await append(stores.store, 1);
  await instance.until(() => receiver.accepted().length >= 1);
  expect(requestsOf(receiver.accepted())).toEqual(expected);
  expect(other.batches).toEqual([]);
  expect(reports.join()).toContain('redirects are not followed');
});

describe.each(providers)('on %s', (provider) => {
  it('an instance continues after the last accepted batch of one that was killed, when that stands still', async () => {
    const { stores, receiver, start, began } = await setUp(provider);
    const killed = start(stores.store);
    await killed.until(began);
    const expected = await append(stores.store, 2);
    await killed.until(() => receiver.accepted().length >= 2);
    // Its time stands still, as after SIGKILL.
    const instance = start(stores.other);
    const since = instance.scheduler.now();
    expected.push(...(await append(stores.store, 3)));
    await instance.until(() => receiver.accepted().length >= 5);
    expect(instance.scheduler.now() - since).toBeGreaterThanOrEqual(takeoverMs);
    expect(new Set(requestsOf(receiver.accepted()))).toEqual(new Set(expected));
    expect(requestsOf(receiver.accepted()).slice(-3)).toEqual(expected.slice(2));
  });

  it('one instance sends, and another one continues at once when it stops', async () => {
    const { stores, receiver, start, began, isSaved } = await setUp(provider);
    const first = start(stores.store);
    await first.until(began);
    const second = start(stores.other);
    const expected = await append(stores.store, 3);
    for (const instance of [first, second]) instance.wake();
    await first.until(async () => {
      // Less time than would make it take over from one that a busy machine holds up.
      await second.scheduler.advance(10);
      return receiver.accepted().length >= 3;
    });
    await first.until(isSaved);
    await first.stop();
    expected.push(...(await append(stores.store, 2)));
    second.wake();
    // No time passes.
    await second.until(() => receiver.accepted().length >= 5, 0);
    expect(requestsOf(receiver.accepted())).toEqual(expected);
  });

  it('it begins at the end of the log only if no instance has begun meanwhile', async () => {
    const { stores } = await setUp(provider);
    const { changes, eventProgress } = stores.store;
    const begin = beginProgress('operator', (end) => ({ revision: String(end) }));
    const positions: unknown[] = [];
    for (let i = 0; i < 2; i += 1) {
      await append(stores.store, 1);
      await changes.housekeep((_, bulk) => begin(bulk));
      positions.push((await eventProgress.list('operator')).get('operator'));
    }
    expect(positions[0]).toEqual({ revision: String((await stores.store.auditLog.lastRevision()) - 1n) });
    expect(positions[1]).toEqual(positions[0]);
  });

  it('beside an instance before 0.2 that sends, it sends that batch again, and then only it sends', async () => {
    const { stores, receiver, start, isSaved } = await setUp(provider);
    const older = olderInstance(stores.other);
    await older.begin();
    const expected = await append(stores.store, 2);
    expect(await older.send(0)).toEqual(expected);
    const instance = start(stores.store);
    await instance.until(isSaved);
    expect(await older.accepted()).toBe(false);
    expected.push(...(await append(stores.store, 1)));
    expect(await older.send(0)).toEqual([]);
    await instance.until(isSaved);
    expected.push(...(await append(stores.store, 1)));
    expect(await older.send(39_999)).toEqual([]);
    await instance.until(isSaved);
    expect(requestsOf(receiver.accepted())).toEqual(expected);
  });

  it('beside an instance before 0.2 that sends what it repeats, it continues after that', async () => {
    const { stores, receiver, start, began, isSaved } = await setUp(provider);
    const older = olderInstance(stores.other);
    const instance = start(stores.store);
    await instance.until(began);
    await append(stores.store, 1);
    await instance.until(isSaved);
    receiver.answerTo = () => ({ status: 500 });
    const failing = await append(stores.store, 2);
    await instance.until(() => receiver.batches.length > 2);
    expect(await older.send(0)).toEqual([]);
    expect(await older.send(40_000)).toEqual(failing);
    expect(await older.accepted()).toBe(true);
    receiver.answerTo = () => ({ status: 200 });
    const sent = receiver.accepted().length;
    const next = await append(stores.store, 1);
    await instance.until(isSaved);
    expect(requestsOf(receiver.accepted().slice(sent))).toEqual(next);
  });
});
