/** Events reach the endpoints of their team: in order for each key, at least once, and without one disturbing another. */
import { randomUUID } from 'node:crypto';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LatchkeyError } from '../../src/domain/errors.ts';
import { verificationKeyOf } from '../../src/domain/webhook/signature.ts';
import { noAnswer } from '../../src/events/sender/attempt.ts';
import { SenderEndedError } from '../../src/events/sender/webhook-sender.ts';
import { deliveryTable } from '../../src/store/changes/bulk-rows.ts';
import { notAttempted, replayDeliveries } from '../../src/store/rows/deliveries.ts';
import type { Store } from '../../src/store/store.ts';
import { providers } from '../support/databases.ts';
import {
  addWebhook,
  appendEvents,
  changeWebhook,
  entryOf,
  idOf,
  pass,
  removeWebhooks,
  setEnabled,
  startWorker,
  until,
  WallClock,
  type Worker,
  type WorkerOptions,
  type WorkerStore,
} from '../support/deliveries.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import { openStores } from '../support/stores.ts';
import { write } from '../support/write.ts';

describe.each(providers)('on %s', (provider) => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  let store: Store;
  let clock: WallClock;
  let teamId: string;
  const workers: Worker[] = [];
  const receivers: Receiver[] = [];
  const teams: string[] = [];

  beforeAll(async () => {
    stores = await openStores(provider);
    store = stores.store;
  });
  afterAll(() => stores.stop());

  afterEach(async () => {
    for (const receiver of receivers) receiver.release();
    for (const worker of workers.splice(0)) await worker.close();
    for (const receiver of receivers.splice(0)) await receiver.stop();
    for (const team of teams.splice(0)) await removeWebhooks(store, team);
  });

  const newTeam = () => {
    const team = randomUUID();
    teams.push(team);
    return team;
  };
  const begin = () => {
    clock = new WallClock();
    teamId = newTeam();
  };
  const work = (of: WorkerStore = store, options: WorkerOptions = {}) => {
    const worker = startWorker(of, clock, options);
    workers.push(worker);
    return worker;
  };
  const receive = async (answer?: Receiver['answer']) => {
    const receiver = await startReceiver(answer);
    receivers.push(receiver);
    return receiver;
  };
  const idsOf = (receiver: Receiver) => receiver.requests.map(({ id }) => id);
  const cursorOf = async (id: string) => (await store.webhooks.find(id))?.cursor ?? null;
  const current = async (id: string) => ({ id, cursor: (await cursorOf(id)) ?? 0n });
  /** Whether the endpoint has got all events up to this one. */
  const hasAll = async (id: string, until: bigint | undefined) =>
    (await cursorOf(id)) === until && (await store.deliveries.countPending(id, 1)) === 0;
  const eventsOfKeys = (count: number) => Array.from({ length: count }, () => ({ keyId: randomUUID() }));
  const rowsOf = (webhookId: string) => store.deliveries.list({ webhookId, limit: 2000 });
  const holder = async () => (await store.claims.read('deliveries')).holder;
  const isIdle = async () => (await holder()) === '';

  it('sends each event of a team to each endpoint that wants it, signed, and records it without secrets', async () => {
    begin();
    const [all, some, otherTeam] = [await receive(), await receive(), await receive()];
    const webhook = await addWebhook(store, teamId, all.url, { types: ['key.created', 'key.revoked'] });
    await addWebhook(store, teamId, some.url, { types: ['key.revoked'] });
    await addWebhook(store, newTeam(), otherTeam.url);
    const worker = work();
    const keyId = randomUUID();
    const events = await appendEvents(store, teamId, [
      { keyId, action: 'KEY_CREATED' },
      { keyId, action: 'KEY_REVOKED' },
      { keyId: webhook.id, action: 'WEBHOOK_TESTED' },
    ]);
    const [created, revoked] = events.map(({ id }) => id);
    await until([worker], clock, () => all.requests.length >= 2 && some.requests.length >= 1);
    await until([worker], clock, isIdle);
    expect(idsOf(all)).toEqual([created, revoked]);
    expect(idsOf(some)).toEqual([revoked]);
    expect(otherTeam.requests).toEqual([]);
    const [first] = all.requests;
    expect(first?.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'Latchkey/test' });
    const secret = verificationKeyOf(webhook.secret);
    const timestamp = String(first?.headers['webhook-timestamp']);
    expect(Math.abs(Number(timestamp) * 1000 - clock.now().getTime())).toBeLessThan(60_000);
    const sent = new Verifier(secret).sign(String(created), new Date(Number(timestamp) * 1000), first?.body ?? '');
    expect(first?.headers['webhook-signature']).toBe(sent);
    expect(JSON.parse(first?.body ?? '')).toMatchObject({
      id: created,
      type: 'key.created',
      data: { teamId, key: { id: keyId } },
    });
    // Nobody but the tested endpoint gets the test event, so it is passed.
    expect(await cursorOf(webhook.id)).toBe(events[2]?.revision);
    const rows = await rowsOf(webhook.id);
    expect(rows.map(({ outcome, attempts, status }) => [outcome, attempts, status])).toEqual([
      ['DELIVERED', 1, 204],
      ['DELIVERED', 1, 204],
    ]);
    const written = JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value));
    for (const text of [secret, secret.slice('whsec_'.length), sent, webhook.secretEnvelope]) {
      expect(written).not.toContain(text);
    }
    // A store that does not answer in time is reported, and its reads are repeated.
    expect(worker.errors.filter((error) => !(error instanceof LatchkeyError && error.code === 'UNAVAILABLE'))).toEqual(
      [],
    );
  });

  it('keeps the order of each key when an event fails, without holding up other keys', async () => {
    begin();
    let fails = true;
    const [one, two] = [randomUUID(), randomUUID()];
    const events: Awaited<ReturnType<typeof appendEvents>> = [];
    const receiver = await receive(({ id }) => (fails && id === events[0]?.id ? 500 : 200));
    const webhook = await addWebhook(store, teamId, receiver.url);
    events.push(
      ...(await appendEvents(
        store,
        teamId,
        [one, two, one, two, one].map((keyId) => ({ keyId })),
      )),
    );
    const [a1, b1, a2, b2, a3] = events.map(({ id }) => id);
    const worker = work();
    await until([worker], clock, () => receiver.requests.length >= 3);
    await until([worker], clock, isIdle);
    expect(idsOf(receiver).toSorted()).toEqual([a1, b1, b2].toSorted());
    const row = (await rowsOf(webhook.id)).at(-1);
    expect(row).toMatchObject({ outcome: 'PENDING', attempts: 1, status: 500, error: 'answered 500' });
    expect(row?.responseBody).toBe('answered 500');
    fails = false;
    await until([worker], clock, () => receiver.requests.length >= 6);
    await until([worker], clock, isIdle);
    expect(idsOf(receiver).slice(3)).toEqual([a1, a2, a3]);
    expect(idsOf(receiver).indexOf(b1 ?? '')).toBeLessThan(idsOf(receiver).indexOf(b2 ?? ''));
    expect(await hasAll(webhook.id, events.at(-1)?.revision)).toBe(true);
  });

  it('another instance takes over from one that stands still, which then can not write what it did', async () => {
    begin();
    const receiver = await receive(() => 'hang');
    const webhook = await addWebhook(store, teamId, receiver.url);
    const stuck = work();
    const keyId = randomUUID();
    const events = await appendEvents(store, teamId, [{ keyId }, { keyId }]);
    await until([stuck], clock, () => receiver.requests.length === 1);
    const first = await holder();
    receiver.answer = () => 200;
    const other = work(stores.other);
    // The time of the first one stands still, as in a process that is stopped.
    await until([other], clock, () => receiver.requests.length >= 3);
    await until([other], clock, isIdle);
    expect(idsOf(receiver)).toEqual([events[0]?.id, events[0]?.id, events[1]?.id]);
    const before = await rowsOf(webhook.id);
    expect(before.map(({ outcome }) => outcome)).toEqual(['DELIVERED', 'DELIVERED']);
    const claim = await store.claims.read('deliveries');
    stuck.wakeAfter(5000);
    receiver.release();
    await pass([stuck], clock, 2000);
    expect(await rowsOf(webhook.id)).toEqual(before);
    expect(await store.claims.read('deliveries')).toEqual(claim);
    expect(claim.holder).not.toBe(first);
    expect(receiver.requests).toHaveLength(3);
    // From now on it works as before.
    await other.close();
    await appendEvents(store, teamId, [{ keyId }]);
    await until([stuck], clock, () => receiver.requests.length === 4);
  });

  it('delivers all events of one team while the endpoints of another hang with a long backlog', async () => {
    begin();
    const hostile = newTeam();
    const [hanging, healthy] = [await receive(() => 'hang'), await receive()];
    // More requests than a team may have at once.
    const urls = Array.from({ length: 22 }, (_, i) => `${hanging.url}/${i}`);
    for (const url of urls) await addWebhook(store, hostile, url);
    await appendEvents(
      store,
      hostile,
      Array.from({ length: 1100 }, () => ({ keyId: randomUUID() })),
    );
    const webhook = await addWebhook(store, teamId, healthy.url);
    const worker = work();
    await until([worker], clock, () => hanging.requests.length >= 40);
    const keyId = randomUUID();
    const events = await appendEvents(
      store,
      teamId,
      Array.from({ length: 20 }, () => ({ keyId })),
    );
    await until([worker], clock, () => hasAll(webhook.id, events.at(-1)?.revision));
    expect(idsOf(healthy)).toEqual(events.map(({ id }) => id));
    // None of the hanging requests has ended, and no endpoint has more than two.
    expect(hanging.requests).toHaveLength(40);
    expect(hanging.concurrent).toEqual({ now: 40, max: 40 });
    await pass([worker], clock, 1000);
    expect(hanging.requests).toHaveLength(40);
    await removeWebhooks(store, hostile);
  });

  it('ends the requests to an endpoint that is disabled, so that it never has more than two when it is enabled', async () => {
    begin();
    const hanging = await receive(() => 'hang');
    const webhook = await addWebhook(store, teamId, hanging.url);
    await appendEvents(
      store,
      teamId,
      Array.from({ length: 4 }, () => ({ keyId: randomUUID() })),
    );
    const worker = work();
    for (let i = 1; i <= 3; i += 1) {
      await until([worker], clock, () => hanging.requests.length === 2 * i);
      await setEnabled(store, webhook.id, false, clock.now());
      await setEnabled(store, webhook.id, true, clock.now());
    }
    await until([worker], clock, () => hanging.requests.length === 8);
    await expect.poll(() => hanging.concurrent.now).toBe(2);
  });

  it('looks for what is due at an endpoint without what other endpoints have taken', async () => {
    begin();
    const [hanging, healthy] = [await receive(() => 'hang'), await receive()];
    const hostile = newTeam();
    for (let i = 0; i < 20; i += 1) await addWebhook(store, hostile, `${hanging.url}/${i}`);
    await appendEvents(store, hostile, eventsOfKeys(2));
    const webhook = await addWebhook(store, teamId, healthy.url);
    const looks: { readonly ids: readonly string[]; readonly taken: readonly string[] }[] = [];
    const due: Store['deliveryQueue']['due'] = (ids, taken, now) => {
      looks.push({ ids, taken: taken.map(({ webhookId }) => webhookId) });
      return store.deliveryQueue.due(ids, taken, now);
    };
    const deliveryQueue = new Proxy(store.deliveryQueue, {
      get: (target, name) => (name === 'due' ? due : Reflect.get(target, name).bind(target)),
    });
    const { auditLog, changes, claims, keys } = store;
    const worker = work({ auditLog, changes, claims, deliveryQueue, keys });
    await until([worker], clock, () => hanging.requests.length === 40);
    looks.length = 0;
    const events = await appendEvents(store, teamId, eventsOfKeys(5));
    await until([worker], clock, () => hasAll(webhook.id, events.at(-1)?.revision));
    expect(looks.filter(({ ids }) => ids.includes(webhook.id))).not.toHaveLength(0);
    for (const { ids, taken } of looks) expect(taken.filter((id) => !ids.includes(id))).toEqual([]);
  });

  it('delivers a backlog that is longer than what may be pending, in the order of each key', async () => {
    begin();
    const receiver = await receive();
    const webhook = await addWebhook(store, teamId, receiver.url, { types: ['key.rotated'] });
    const keys = [randomUUID(), randomUUID(), randomUUID()];
    const events = await appendEvents(
      store,
      teamId,
      Array.from({ length: 1240 }, (_, i) => ({
        keyId: keys[i % 3] ?? '',
        action: i % 2 === 0 ? 'KEY_ROTATED' : 'KEY_UPDATED',
      })),
    );
    const worker = work();
    const pending: number[] = [];
    await until([worker], clock, async () => {
      pending.push(await store.deliveries.countPending(webhook.id, 1000));
      return await hasAll(webhook.id, events.at(-1)?.revision);
    });
    expect(Math.max(...pending)).toBeGreaterThan(0);
    expect(Math.max(...pending)).toBeLessThanOrEqual(500);
    const wanted = events.filter((_, i) => i % 2 === 0);
    const places = new Map(idsOf(receiver).map((id, i) => [id, i]));
    expect([...places.keys()].toSorted()).toEqual(wanted.map(({ id }) => id).toSorted());
    for (const key of keys.keys()) {
      const ofKey = events.flatMap(({ id }, i) => (i % 2 === 0 && i % 3 === key ? [places.get(id) ?? -1] : []));
      expect(ofKey).toEqual(ofKey.toSorted((a, b) => a - b));
    }
  });

  it('disables an endpoint that answers 410, and continues from its place when it is enabled', async () => {
    begin();
    const receiver = await receive(() => 410);
    const webhook = await addWebhook(store, teamId, receiver.url);
    const keyId = randomUUID();
    const [first, second] = await appendEvents(store, teamId, [{ keyId }, { keyId }]);
    const worker = work();
    await until([worker], clock, async () => (await store.webhooks.find(webhook.id))?.disabledReason === 'GONE');
    await until([worker], clock, isIdle);
    await pass([worker], clock, 2000);
    clock.pass(10_000);
    await pass([worker], clock, 500);
    expect(idsOf(receiver)).toEqual([first?.id]);
    expect(await store.auditLog.list({ teamId, limit: 1 })).toMatchObject([
      {
        action: 'WEBHOOK_DISABLED',
        keyId: webhook.id,
        actor: 'latchkey',
        actorKind: 'SYSTEM',
        details: { webhook: { id: webhook.id, origin: new URL(receiver.url).origin }, reason: 'GONE' },
      },
    ]);
    expect(worker.deliverer.counters.disabled).toEqual({ GONE: 1, FAILING: 0 });
    receiver.answer = () => 200;
    await setEnabled(store, webhook.id, true, clock.now());
    // The entries about the endpoint itself follow.
    await until([worker], clock, () => receiver.requests.length >= 5);
    expect(idsOf(receiver).filter((id) => id === first?.id || id === second?.id)).toEqual([
      first?.id,
      first?.id,
      second?.id,
    ]);
  });

  it('delivers to an endpoint that is enabled while a worker reads that it was disabled', async () => {
    begin();
    const receiver = await receive();
    const webhook = await addWebhook(store, teamId, receiver.url, { types: ['key.updated'] });
    let isSlow = false;
    let isReading = false;
    let endRead: () => void = () => undefined;
    const mayEnd = new Promise<void>((resolve) => {
      endRead = resolve;
    });
    const find: Store['deliveryQueue']['find'] = async (...values) => {
      const found = await store.deliveryQueue.find(...values);
      if (!isSlow) return found;
      isReading = true;
      await mayEnd;
      return found;
    };
    const slow = new Proxy(store.deliveryQueue, {
      get: (target, name) => (name === 'find' ? find : Reflect.get(target, name).bind(target)),
    });
    const { auditLog, changes, claims, keys } = store;
    const worker = work({ auditLog, changes, claims, deliveryQueue: slow, keys });
    await appendEvents(store, teamId, [{}]);
    await until([worker], clock, () => receiver.requests.length === 1);
    await setEnabled(store, webhook.id, false, clock.now());
    isSlow = true;
    await until([worker], clock, () => isReading);
    await setEnabled(store, webhook.id, true, clock.now());
    // So long that it has noticed the change.
    await pass([worker], clock, 1000);
    endRead();
    await appendEvents(store, teamId, [{}]);
    await until([worker], clock, () => receiver.requests.length === 2);
  });

  it('does not disable an endpoint because its previous URL answers 410', async () => {
    begin();
    const [former, receiver] = [await receive(() => 'hang'), await receive()];
    const webhook = await addWebhook(store, teamId, former.url, { types: ['key.updated'] });
    const worker = work();
    const [event] = await appendEvents(store, teamId, [{ keyId: randomUUID() }]);
    await until([worker], clock, () => former.requests.length === 1);
    await changeWebhook(store, webhook.id, { url: receiver.url }, 'WEBHOOK_UPDATED', { at: clock.now() });
    await pass([worker], clock, 1000);
    await appendEvents(store, teamId, [{ keyId: randomUUID() }]);
    await until([worker], clock, () => receiver.requests.length === 1);
    former.release(410);
    await until([worker], clock, isIdle);
    clock.pass(10_000);
    await until([worker], clock, () => idsOf(receiver).includes(event?.id ?? ''));
    expect(await store.webhooks.find(webhook.id)).toMatchObject({ disabledAt: null });
  });

  it('sends nothing to a URL after it was replaced', async () => {
    begin();
    // While another endpoint hangs, the worker does not give its claim back and load all endpoints again.
    const [former, receiver, hanging] = [await receive(), await receive(), await receive(() => 'hang')];
    await addWebhook(store, teamId, hanging.url);
    const webhook = await addWebhook(store, teamId, former.url);
    const worker = work();
    await appendEvents(store, teamId, [{}]);
    await until([worker], clock, () => former.requests.length === 1);
    await changeWebhook(store, webhook.id, { url: receiver.url }, 'WEBHOOK_UPDATED', { at: clock.now() });
    await appendEvents(store, teamId, [{}]);
    await until([worker], clock, () => receiver.requests.length === 2);
    expect(former.requests.length).toBe(1);
  });

  it('delivers the events that follow when the database is set back', async () => {
    begin();
    const receiver = await receive();
    const webhook = await addWebhook(store, teamId, receiver.url);
    const worker = work();
    const [first] = await appendEvents(store, teamId, [{}]);
    await until([worker], clock, () => receiver.requests.length === 1);
    await until([worker], clock, isIdle);
    const end = first?.revision ?? 0n;
    await appendEvents(store, teamId, [{}, {}, {}, {}]);
    await until([worker], clock, () => receiver.requests.length === 5);
    await until([worker], clock, isIdle);
    // The cursor stays, as if it had been written after the failover.
    await store.changes.housekeep(async (transaction) => {
      await transaction.auditEntry.deleteMany({ where: { revision: { gt: end } } });
      await transaction.revision.update({ where: { id: 1 }, data: { current: end } });
    });
    await until([worker], clock, async () => (await cursorOf(webhook.id)) === end);
    const events = await appendEvents(store, teamId, [{}, {}]);
    await until([worker], clock, () => receiver.requests.length === 7);
    expect(idsOf(receiver).slice(5)).toEqual(events.map(({ id }) => id));
    await until([worker], clock, () => hasAll(webhook.id, events.at(-1)?.revision));
  });

  it('gives an event up after the last attempt, in the transaction that disables the endpoint', async () => {
    begin();
    const receiver = await receive(() => 503);
    const webhook = await addWebhook(store, teamId, receiver.url);
    const keyId = randomUUID();
    const [event, next] = await appendEvents(store, teamId, [{ keyId }, { keyId }]);
    const rowOf = async () => (await rowsOf(webhook.id)).find(({ revision }) => revision === event?.revision);
    const worker = work();
    for (let attempts = 1; attempts <= 10; attempts += 1) {
      await until([worker], clock, () => receiver.requests.length === attempts);
      await until([worker], clock, async () => (await rowOf())?.attempts === attempts);
      const row = await rowOf();
      if (attempts === 10) break;
      expect(row).toMatchObject({ outcome: 'PENDING', status: 503 });
      await until([worker], clock, isIdle);
      clock.pass((row?.nextAttemptAt?.getTime() ?? 0) - clock.now().getTime());
    }
    expect(await rowOf()).toMatchObject({ outcome: 'FAILED', attempts: 10, nextAttemptAt: null });
    expect(await store.webhooks.find(webhook.id)).toMatchObject({ disabledReason: 'FAILING' });
    expect(await store.auditLog.list({ teamId, limit: 1 })).toMatchObject([
      { action: 'WEBHOOK_DISABLED', details: { reason: 'FAILING' } },
    ]);
    await pass([worker], clock, 2000);
    expect(new Set(idsOf(receiver))).toEqual(new Set([event?.id]));
    receiver.answer = () => 200;
    await setEnabled(store, webhook.id, true, clock.now());
    await until([worker], clock, () => idsOf(receiver).includes(next?.id ?? ''));
    const later = idsOf(receiver).slice(10);
    expect(later).toContain(next?.id);
    expect(later).not.toContain(event?.id);
  });

  it.each(['the same instance', 'another instance'])(
    '%s sends nothing to an endpoint before the time that its Retry-After names',
    async (sender) => {
      begin();
      const receiver = await receive(() => ({ status: 429, headers: { 'retry-after': '60' } }));
      await addWebhook(store, teamId, receiver.url);
      let worker = work();
      const [first] = await appendEvents(store, teamId, [{ keyId: randomUUID() }]);
      await until([worker], clock, () => receiver.requests.length === 1);
      const askedMs = clock.now().getTime();
      await until([worker], clock, isIdle);
      if (sender === 'another instance') {
        await worker.close();
        worker = work(stores.other);
      }
      receiver.answer = () => 200;
      const [other] = await appendEvents(store, teamId, [{ keyId: randomUUID() }]);
      clock.pass(askedMs + 55_000 - clock.now().getTime());
      await pass([worker], clock, 4000);
      expect(receiver.requests).toHaveLength(1);
      await until([worker], clock, () => receiver.requests.length === 3);
      expect(idsOf(receiver).slice(1).toSorted()).toEqual([first?.id, other?.id].toSorted());
    },
  );

  it('an endpoint that its last attempt has disabled does not wait for the Retry-After of then when it is enabled', async () => {
    begin();
    const receiver = await receive(() => ({ status: 503, headers: { 'retry-after': '86400' } }));
    const { id } = await addWebhook(store, teamId, receiver.url, { types: ['key.updated'] });
    const keyId = randomUUID();
    const [event] = await appendEvents(store, teamId, [{ keyId }]);
    const last = { ...notAttempted(clock.now()), webhookId: id, revision: event?.revision ?? 0n, keyId, attempts: 9 };
    await store.changes.housekeep((_, bulk) => bulk.insert(deliveryTable, [{ ...last, type: 'key.updated' }]));
    const worker = work();
    await until([worker], clock, async () => (await store.webhooks.find(id))?.disabledReason === 'FAILING');
    await until([worker], clock, isIdle);
    receiver.answer = () => 200;
    await setEnabled(store, id, true, clock.now());
    // With the outcome of the first of them, a pause that is still known would be written.
    for (let count = 2; count <= 3; count += 1) {
      await appendEvents(store, teamId, [{ keyId }]);
      await until([worker], clock, () => receiver.requests.length === count);
      await until([worker], clock, isIdle);
    }
  });

  it('an endpoint that is disabled and enabled before its Retry-After is written does not wait', async () => {
    begin();
    const receiver = await receive(() => {
      isAway = true;
      return { status: 503, headers: { 'retry-after': '86400' } };
    });
    const { id } = await addWebhook(store, teamId, receiver.url, { types: ['key.updated'] });
    let isAway = false;
    const claims = new Proxy(store.claims, {
      get:
        (target, name) =>
        async (...values: unknown[]) => {
          if (isAway && name === 'move') throw new LatchkeyError('UNAVAILABLE', 'away');
          return await Reflect.get(target, name).apply(target, values);
        },
    });
    const { auditLog, changes, deliveryQueue, keys } = store;
    const worker = work({ auditLog, changes, claims, deliveryQueue, keys });
    await appendEvents(store, teamId, eventsOfKeys(1));
    await until([worker], clock, () => worker.deliverer.counters.attempts.PENDING === 1);
    await setEnabled(store, id, false, clock.now());
    await setEnabled(store, id, true, clock.now());
    await pass([worker], clock, 1000);
    receiver.answer = () => 200;
    isAway = false;
    await appendEvents(store, teamId, eventsOfKeys(1));
    await until([worker], clock, () => receiver.requests.length >= 2);
    await until([worker], clock, isIdle);
    await appendEvents(store, teamId, eventsOfKeys(1));
    await until([worker], clock, () => receiver.requests.length >= 3);
  });

  it('an endpoint whose handshake is expensive waits 50 times its CPU time before the next request', async () => {
    begin();
    const sentMs: number[] = [];
    const { id } = await addWebhook(store, teamId, 'https://hooks.example/');
    const worker = work(store, {
      send: async () => {
        sentMs.push(clock.now().getTime());
        return { ...noAnswer, ok: true, status: 200, error: null, cpuMs: 100 };
      },
    });
    await appendEvents(store, teamId, eventsOfKeys(3));
    await until([worker], clock, () => sentMs.length >= 3);
    const [first = 0, second = 0, third = 0] = sentMs;
    // The first two can be under way at the same time.
    expect(third - Math.min(first, second)).toBeGreaterThanOrEqual(5000);
    await until([worker], clock, async () => (await rowsOf(id)).every(({ outcome }) => outcome === 'DELIVERED'));
  });

  it('sends again at once what was under way when the sender process ended, and counts a second time as a failure', async () => {
    begin();
    const ids: string[] = [];
    const { id } = await addWebhook(store, teamId, 'https://hooks.example/');
    const worker = work(store, {
      send: async ({ headers }) => {
        ids.push(headers['webhook-id'] ?? '');
        throw new SenderEndedError();
      },
    });
    await appendEvents(store, teamId, eventsOfKeys(1));
    await until([worker], clock, async () => (await rowsOf(id)).some(({ attempts }) => attempts > 0));
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    expect(await rowsOf(id)).toMatchObject([{ outcome: 'PENDING', attempts: 1, error: 'the request failed' }]);
  });

  it('a request holds its place only until the status, so that bodies that never end delay no other event', async () => {
    begin();
    const sent = new Set<string>();
    // Each endpoint has at most two requests at the same time, and a team 40 until they have a status.
    for (let i = 0; i < 25; i += 1) await addWebhook(store, teamId, `https://hooks.example/${i}`);
    const worker = work(store, {
      send: async ({ url }, { signal, onStatus } = {}) => {
        sent.add(url);
        onStatus?.();
        return await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
      },
    });
    await appendEvents(store, teamId, eventsOfKeys(2));
    await until([worker], clock, () => sent.size === 25);
  });

  it('sends replayed events again, in the order of their key', async () => {
    begin();
    const receiver = await receive();
    const webhook = await addWebhook(store, teamId, receiver.url);
    const worker = work();
    const keyId = randomUUID();
    const events = await appendEvents(store, teamId, [{ keyId }, { keyId }, { keyId: randomUUID() }]);
    await until([worker], clock, () => receiver.requests.length === 3);
    await until([worker], clock, isIdle);
    receiver.answer = () => 500;
    const [failing] = await appendEvents(store, teamId, [{ keyId }]);
    await until([worker], clock, () => receiver.requests.length === 4);
    await until([worker], clock, isIdle);
    receiver.answer = () => 200;
    const replay = async () => {
      const replayed = events.slice(0, 2).map(({ revision }) => ({ revision, type: 'key.updated' as const, keyId }));
      const entries = [entryOf(teamId, 'EVENTS_REPLAYED', webhook.id, clock.now())];
      await write(store, { entries, rows: [replayDeliveries(await current(webhook.id), replayed, clock.now())] });
    };
    await replay();
    await until([worker], clock, () => idsOf(receiver).filter((id) => id === failing?.id).length === 2);
    await until([worker], clock, isIdle);
    const ofKey = idsOf(receiver)
      .slice(4)
      .filter((id) => [...events, failing].some((event) => event?.id === id));
    expect(ofKey).toEqual([events[0]?.id, events[1]?.id, failing?.id]);
    expect((await rowsOf(webhook.id)).map(({ outcome }) => outcome)).toEqual(new Array(5).fill('DELIVERED'));
    // Also if no instance was running when it was asked for.
    await worker.close();
    const before = receiver.requests.length;
    await replay();
    const later = work();
    await until([later], clock, () => receiver.requests.length === before + 3);
    await until([later], clock, isIdle);
    expect(idsOf(receiver).slice(before, before + 3)).toContain(events[0]?.id);
  });

  it.each(['of its key', 'of other keys'])('a new event does not wait for hundreds of replays %s', async (which) => {
    begin();
    const receiver = await receive();
    const keyId = randomUUID();
    const keys = Array.from({ length: 600 }, () => (which === 'of its key' ? keyId : randomUUID()));
    const old = await appendEvents(
      store,
      teamId,
      keys.map((ofEvent) => ({ keyId: ofEvent })),
    );
    const webhook = await addWebhook(store, teamId, receiver.url, { types: ['key.updated'] });
    const replayed = old.map(({ revision }, i) => ({ revision, type: 'key.updated' as const, keyId: keys[i] ?? '' }));
    await store.changes.housekeep((_, bulk) => replayDeliveries(webhook, replayed, clock.now())(bulk));
    const events = await appendEvents(store, teamId, [{ keyId }, { keyId: randomUUID() }]);
    const worker = work();
    const ids = events.map((event) => event.id);
    await until([worker], clock, () => receiver.requests.length >= 12);
    const places = ids.map((event) => idsOf(receiver).indexOf(event));
    // Both kinds in turns: one of two requests at the same time is that of a new event.
    expect(places.filter((place) => place >= 0 && place < 8)).toHaveLength(2);
    expect(
      idsOf(receiver)
        .slice(0, 4)
        .some((event) => !ids.includes(event)),
    ).toBe(true);
  });

  it('an event that is replayed during its attempt is sent once more', async () => {
    begin();
    const receiver = await receive(() => 'hang');
    const webhook = await addWebhook(store, teamId, receiver.url);
    const worker = work();
    const keyId = randomUUID();
    const [event] = await appendEvents(store, teamId, [{ keyId }]);
    await until([worker], clock, () => receiver.requests.length === 1);
    // A replay is known by its time.
    clock.pass(1);
    receiver.answer = () => 200;
    const replayed = { revision: event?.revision ?? 0n, type: 'key.updated', keyId } as const;
    const entries = [entryOf(teamId, 'EVENTS_REPLAYED', webhook.id, clock.now())];
    await write(store, { entries, rows: [replayDeliveries(await current(webhook.id), [replayed], clock.now())] });
    receiver.release();
    await until([worker], clock, () => idsOf(receiver).filter((id) => id === event?.id).length === 2);
    await until([worker], clock, isIdle);
    expect((await rowsOf(webhook.id)).map(({ outcome }) => outcome)).toEqual(['DELIVERED', 'DELIVERED']);
  });

  it('continues after the store was away, without losing an event or what became of it', async () => {
    begin();
    const receiver = await receive();
    const webhook = await addWebhook(store, teamId, receiver.url);
    let isAway = false;
    const flaky = <T extends object>(part: T, names: readonly (keyof T)[]): T =>
      new Proxy(part, {
        get: (target, name) => {
          const value = Reflect.get(target, name);
          if (typeof value !== 'function') return value;
          if (!names.includes(name as keyof T)) return value.bind(target);
          return async (...values: unknown[]) => {
            if (isAway) throw new LatchkeyError('UNAVAILABLE', 'away');
            return await value.apply(target, values);
          };
        },
      });
    const worker = work({
      ...{ keys: store.keys, changes: store.changes },
      auditLog: flaky(store.auditLog, ['find', 'heads', 'lastRevision']),
      claims: flaky(store.claims, ['read', 'move']),
      deliveryQueue: flaky(store.deliveryQueue, ['find', 'ranges', 'due']),
    });
    const keyId = randomUUID();
    receiver.answer = () => {
      isAway = true;
      return 200;
    };
    const first = await appendEvents(store, teamId, [{ keyId }, { keyId }]);
    await until([worker], clock, () => receiver.requests.length >= 1);
    await pass([worker], clock, 3000);
    const more = await appendEvents(store, teamId, [{ keyId }]);
    await pass([worker], clock, 1000);
    await until([worker], clock, () => worker.errors.length > 0);
    receiver.answer = () => 200;
    isAway = false;
    await until([worker], clock, () => hasAll(webhook.id, more[0]?.revision));
    expect([...new Set(idsOf(receiver))]).toEqual([...first, ...more].map(({ id }) => id));
    expect((await rowsOf(webhook.id)).map(({ outcome }) => outcome)).toEqual(new Array(3).fill('DELIVERED'));
  });

  it('writes nothing while nothing is to be delivered', async () => {
    begin();
    const receiver = await receive();
    await addWebhook(store, teamId, receiver.url);
    const worker = work();
    await appendEvents(store, teamId, [{}]);
    await until([worker], clock, () => receiver.requests.length === 1);
    await until([worker], clock, isIdle);
    const other = work(stores.other);
    await pass([worker, other], clock, 4000);
    const claim = await store.claims.read('deliveries');
    const revision = await store.auditLog.lastRevision();
    await pass([worker, other], clock, 4000);
    expect(await store.claims.read('deliveries')).toEqual(claim);
    expect(await store.auditLog.lastRevision()).toBe(revision);
    expect(receiver.requests).toHaveLength(1);
  });

  it('sends a test event once and at once, also to a disabled endpoint', async () => {
    begin();
    const receiver = await receive(() => 500);
    const webhook = await addWebhook(store, teamId, receiver.url, {
      disabledAt: new Date(),
      disabledReason: 'MANUAL',
    });
    const worker = work();
    const data = { teamId, key: null, actor: 'a', actorKind: null, source: null, requestId: 'r', changes: [] };
    const event = { id: idOf(7n), type: 'webhook.tested', timestamp: clock.now().toISOString(), data } as const;
    expect(await worker.deliverer.sendOnce(webhook, event)).toMatchObject({
      outcome: 'FAILED',
      status: 500,
      error: 'answered 500',
      responseBody: 'answered 500',
      attemptedAt: clock.now(),
    });
    expect(idsOf(receiver)).toEqual([event.id]);
    const ending = work(store, {
      send: async () => {
        throw new SenderEndedError();
      },
    });
    await expect(ending.deliverer.sendOnce(webhook, event)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
