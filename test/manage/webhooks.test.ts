/** Managing the endpoints of a team: their limits, their place in the log, and what is written together. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { LatchkeyError } from '../../src/domain/errors.ts';
import { eventIdOf } from '../../src/domain/event/event.ts';
import { limits } from '../../src/domain/limits.ts';
import { shownUrl } from '../../src/domain/webhook/shown-url.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import { readAuditLog } from '../../src/manage/read/read-audit-log.ts';
import { createWebhook } from '../../src/manage/webhooks/create-webhook.ts';
import { deleteWebhook } from '../../src/manage/webhooks/delete-webhook.ts';
import { replayEvents } from '../../src/manage/webhooks/replay-events.ts';
import { rotateWebhookSecret } from '../../src/manage/webhooks/rotate-webhook-secret.ts';
import { sendTestEvent } from '../../src/manage/webhooks/send-test-event.ts';
import { updateWebhook } from '../../src/manage/webhooks/update-webhook.ts';
import { removeWebhook, webhookWithId, writeWebhook } from '../../src/store/rows/webhooks.ts';
import { providers } from '../support/databases.ts';
import { inTests } from '../support/in-tests.ts';
import { callerOf, startService } from '../support/service.ts';
import { write } from '../support/write.ts';

const everything = ['view_team', 'manage_keys', 'manage_webhooks'] as const;
const url = 'https://example.com/webhooks';
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: unknown) => (error instanceof LatchkeyError ? error.code : error),
  );

describe.each(providers)('on %s', (provider) => {
  const running = inTests(() => startService(provider));
  const management = () => running.service.management;
  // Deliveries are tested elsewhere. Here, their attempts would change rows and cursors in between.
  beforeAll(() => {
    vi.spyOn(management().store.claims, 'move').mockResolvedValue(null);
  });
  /** A team of its own, with what its tests call. */
  function newTeam() {
    const teamId = randomUUID();
    const caller = callerOf({ [teamId]: everything });
    return {
      teamId,
      caller,
      create: (input: object = {}) => createWebhook(management(), caller, { teamId, url, ...input }),
      key: (name = 'A key') => createKey(management(), caller, { teamId, name, env: 'live' }),
      /** As if the endpoint had got all events. */
      moveCursor: async (id: string) => {
        const cursor = await management().store.auditLog.lastRevision();
        await management().store.changes.housekeep(({ webhook }) =>
          webhook.updateMany({ where: { id }, data: { cursor } }),
        );
      },
      entries: () => management().store.auditLog.list({ teamId, limit: 100 }),
      actions: async () => (await management().store.auditLog.list({ teamId, limit: 100 })).map(({ action }) => action),
    };
  }

  it('of two creates at the same time, one below the limit, one succeeds', async () => {
    const { teamId, create, actions } = newTeam();
    for (let i = 1; i < limits.webhooks; i += 1) await create();
    const codes = await Promise.all([codeOf(create()), codeOf(create()), codeOf(create())]);
    expect(codes.toSorted()).toEqual(['WEBHOOK_LIMIT_REACHED', 'WEBHOOK_LIMIT_REACHED', null]);
    expect(await management().store.webhooks.list(teamId)).toHaveLength(limits.webhooks);
    expect((await actions()).filter((action) => action === 'WEBHOOK_CREATED')).toHaveLength(limits.webhooks);
  });

  it('a new webhook gets the events that follow its creation', async () => {
    const { create, key, entries } = newTeam();
    await key();
    const { webhook } = await create();
    await key();
    const [later, creation] = await entries();
    expect(creation?.action).toBe('WEBHOOK_CREATED');
    expect(webhook.cursor).toBe(creation?.revision);
    expect(later?.revision).toBeGreaterThan(webhook.cursor);
    expect((await management().store.webhooks.find(webhook.id))?.cursor).toBe(webhook.cursor);
  });

  it('each change is in the audit trail of the webhook, with the fields that differ and without a name', async () => {
    const { teamId, caller, create } = newTeam();
    const { webhook } = await create({ types: ['key.created'] });
    const { id } = webhook;
    await updateWebhook(management(), caller, id, { url: `${url}/2`, types: [], enabled: false });
    await updateWebhook(management(), caller, id, { enabled: true });
    await rotateWebhookSecret(management(), caller, id, 60);
    await deleteWebhook(management(), caller, id);
    const page = await readAuditLog(management(), caller, { teamId, keyId: id, first: 100 });
    const entries = page.edges.map(({ node }) => node).toReversed();
    expect(entries.map(({ action }) => action)).toEqual([
      'WEBHOOK_CREATED',
      'WEBHOOK_UPDATED',
      'WEBHOOK_DISABLED',
      'WEBHOOK_ENABLED',
      'WEBHOOK_SECRET_ROTATED',
      'WEBHOOK_DELETED',
    ]);
    expect(entries[1]?.changes).toEqual([
      { field: 'url', before: shownUrl(url), after: shownUrl(`${url}/2`) },
      { field: 'types', before: null, after: null, added: [], removed: ['key.created'] },
    ]);
    expect(entries[2]).toMatchObject({ details: { webhook: { id, origin: new URL(url).origin }, reason: 'MANUAL' } });
    expect(entries.map(({ revision }) => revision)).toEqual(entries.map(({ revision }) => revision).toSorted(compare));
  });

  it('its events show the origin of its URL alone, because the path is often a secret, and that the path has changed', async () => {
    const { caller, create, entries } = newTeam();
    const { webhook } = await create({ url: 'https://hooks.example.com/T0/secret?token=hidden' });
    await updateWebhook(management(), caller, webhook.id, { url: 'https://hooks.example.com/T0/secret?token=hidden2' });
    await deleteWebhook(management(), caller, webhook.id);
    const written = await entries();
    expect(written).toHaveLength(3);
    for (const { details } of written) {
      expect(details).toMatchObject({ webhook: { id: webhook.id, origin: 'https://hooks.example.com' } });
    }
    const shown = JSON.stringify(written.map(({ changes, details }) => ({ changes, details })));
    expect(shown).not.toMatch(/T0|secret\?|hidden/);
    const changes = written.flatMap((entry) => entry.changes).filter(({ field, before }) => field === 'url' && before);
    const hashed = expect.stringMatching(/^https:\/\/hooks\.example\.com \([0-9a-f]{8}\)$/);
    expect(changes).toEqual([{ field: 'url', before: hashed, after: hashed }]);
    expect(changes[0]?.after).not.toBe(changes[0]?.before);
  });

  it('a change that changes nothing writes nothing, and is answered', async () => {
    const { caller, create, entries } = newTeam();
    const { webhook } = await create({ types: ['key.created', 'key.created'] });
    const before = (await entries()).length;
    const input = { url, types: ['key.created'], description: null, form: 'STANDARD', enabled: true } as const;
    expect(await updateWebhook(management(), caller, webhook.id, input)).toEqual(webhook);
    expect(await entries()).toHaveLength(before);
  });

  it('does not move the position of a webhook that is changed', async () => {
    const { caller, create } = newTeam();
    const { webhook } = await create();
    const { store } = management();
    const cursor = webhook.cursor + 1000n;
    await store.changes.housekeep(async (transaction) => {
      await transaction.webhook.update({ where: { id: webhook.id }, data: { cursor } });
    });
    // As if the deliverer moved it after the change has read it.
    await write(store, { rows: [writeWebhook({ ...webhook, description: 'x' })] });
    expect(await store.webhooks.find(webhook.id)).toMatchObject({ cursor, description: 'x' });
    expect((await updateWebhook(management(), caller, webhook.id, { description: 'y' })).cursor).toBe(cursor);
  });

  it('what a decision throws changes nothing, and the next change works', async () => {
    const { create, entries } = newTeam();
    const { webhook } = await create();
    const { store } = management();
    const decide = () => {
      throw new LatchkeyError('FORBIDDEN', 'not you');
    };
    const change = { queueKey: 'the test', load: webhookWithId(webhook.id), decide };
    expect(await codeOf(store.changes.submit(change))).toBe('FORBIDDEN');
    const broken = write(store, { rows: [removeWebhook(webhook.id), () => Promise.reject(new Error('the disk'))] });
    await expect(broken).rejects.toThrow('the disk');
    expect(await store.webhooks.find(webhook.id)).toEqual(webhook);
    expect(await entries()).toHaveLength(1);
    await create();
  });

  it('the secret is in no stored row, no entry and no later answer', async () => {
    const { teamId, caller, create, entries } = newTeam();
    const { webhook, secret } = await create();
    const rotated = await rotateWebhookSecret(management(), caller, webhook.id, 60);
    expect(rotated.secret).not.toBe(secret);
    const stored = [await management().store.webhooks.list(teamId), await entries()];
    const text = JSON.stringify(stored, (_, value) => (typeof value === 'bigint' ? String(value) : value));
    for (const whole of [secret, rotated.secret]) {
      expect(whole).toMatch(/^whsec_/);
      expect(text).not.toContain(whole.slice('whsec_'.length));
    }
  });

  it('a deleted webhook takes its deliveries along', async () => {
    const { caller, create, key } = newTeam();
    const { webhook } = await create();
    await key();
    await replayEvents(management(), caller, { webhookId: webhook.id, from: new Date(0) });
    const listing = { webhookId: webhook.id, limit: 10 };
    expect((await management().store.deliveries.list(listing)).length).toBeGreaterThan(0);
    await deleteWebhook(management(), caller, webhook.id);
    expect(await management().store.deliveries.list(listing)).toEqual([]);
    expect(await codeOf(deleteWebhook(management(), caller, webhook.id))).toBe('WEBHOOK_NOT_FOUND');
  });

  describe('a replay', () => {
    const idOf = (revision: bigint) => eventIdOf(revision, management().revisions);

    it('of ids makes these events due again, and is in the log', async () => {
      const { caller, create, key, moveCursor, entries, actions } = newTeam();
      const { webhook } = await create({ types: ['key.created'] });
      await key();
      await key();
      await moveCursor(webhook.id);
      const created = (await entries()).filter(({ action }) => action === 'KEY_CREATED');
      const eventIds = created.map(({ revision }) => idOf(revision));
      const [first = ''] = eventIds;
      const count = await replayEvents(management(), caller, { webhookId: webhook.id, eventIds: [...eventIds, first] });
      expect(count).toBe(2);
      const due = await management().store.deliveries.list({ webhookId: webhook.id, limit: 10 });
      expect(due.map(({ revision }) => revision)).toEqual(created.map(({ revision }) => revision));
      expect(due[0]).toMatchObject({ type: 'key.created', outcome: 'PENDING', attempts: 0, keyId: created[0]?.keyId });
      expect((await actions())[0]).toBe('EVENTS_REPLAYED');
    });

    it('of an id of another team, of an unwanted type or of nothing is rejected by the same words', async () => {
      const other = newTeam();
      await other.key();
      const [foreign] = await other.entries();
      const { caller, create, key, entries } = newTeam();
      const { webhook } = await create({ types: ['key.revoked'] });
      await key();
      const [unwanted] = await entries();
      const before = (await entries()).length;
      const ids = [idOf(foreign?.revision ?? 0n), idOf(unwanted?.revision ?? 0n), idOf(2n ** 40n), 'evt_x', 'key'];
      const messages = new Set<string>();
      for (const eventId of ids) {
        const call = replayEvents(management(), caller, { webhookId: webhook.id, eventIds: [eventId] });
        const error = await call.catch((thrown: unknown) => thrown);
        messages.add(error instanceof LatchkeyError ? JSON.stringify([error.code, error.fields]) : String(error));
      }
      expect([...messages]).toEqual([
        '["BAD_USER_INPUT",[{"field":"eventIds[0]","message":"must be the id of an event of this team and of the types of the endpoint"}]]',
      ]);
      expect(await entries()).toHaveLength(before);
    });

    it('of a range has the events of the types from its start until its end', async () => {
      const { teamId, entries, moveCursor } = newTeam();
      // Later than all deliveries that the service attempts meanwhile.
      const caller = callerOf({ [teamId]: everything }, new Date(Date.now() + 3_600_000));
      const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 12, minute));
      const callerAt = (minute: number) => callerOf({ [teamId]: everything }, at(minute));
      const input = { teamId, url, types: ['key.created'] };
      const { webhook } = await createWebhook(management(), callerAt(-1), input);
      for (let minute = 0; minute < 20; minute += 1) {
        const then = callerAt(minute);
        await createKey(management(), then, { teamId, name: 'A key', env: 'live' });
      }
      await moveCursor(webhook.id);
      const replayed = async (from: Date, to?: Date) => {
        const { store } = management();
        const count = await replayEvents(management(), caller, { webhookId: webhook.id, from, to });
        const listed = await store.deliveries.list({ webhookId: webhook.id, limit: 100 });
        const due = listed.filter(({ createdAt }) => createdAt.getTime() === caller.now.getTime());
        const times = new Map((await entries()).map((entry) => [entry.revision, entry.at.getTime()]));
        await store.changes.housekeep(async (transaction) => {
          await transaction.delivery.deleteMany({ where: { webhookId: webhook.id } });
        });
        expect(count).toBe(due.length);
        return due.map(({ revision }) => new Date(times.get(revision) ?? 0).getUTCMinutes()).toReversed();
      };
      expect(await replayed(at(3), at(6))).toEqual([3, 4, 5]);
      expect(await replayed(at(17))).toEqual([17, 18, 19]);
      expect(await replayed(at(20))).toEqual([]);
      expect(await replayed(new Date(0), at(1))).toEqual([0]);
    });

    it('is rejected if more than 10,000 deliveries of the endpoint would wait', async () => {
      const { caller, create, key } = newTeam();
      const { webhook } = await create({ types: ['key.created'] });
      await key();
      const { store } = management();
      const { countPending } = store.deliveries;
      const replay = () => codeOf(replayEvents(management(), caller, { webhookId: webhook.id, from: new Date(0) }));
      let pending = limits.pendingDeliveries;
      store.deliveries.countPending = async () => pending;
      onTestFinished(() => {
        store.deliveries.countPending = countPending;
      });
      expect(await replay()).toBe('BAD_USER_INPUT');
      pending -= 1;
      expect(await replay()).toBeNull();
    });

    it('of all that failed sends again what is attempted again and what is not, and nothing else', async () => {
      const { caller, create, key, moveCursor, entries, actions } = newTeam();
      const { webhook } = await create({ types: ['key.created'] });
      for (let i = 0; i < 4; i += 1) await key();
      await moveCursor(webhook.id);
      const created = (await entries()).filter(({ action }) => action === 'KEY_CREATED').toReversed();
      const { store } = management();
      const all = { webhookId: webhook.id, eventIds: created.map(({ revision }) => idOf(revision)) };
      await replayEvents(management(), caller, all);
      const before = new Date(caller.now.getTime() - 60_000);
      const states = [
        { outcome: 'DELIVERED', attempts: 1, nextAttemptAt: null },
        { outcome: 'FAILED', attempts: 10, nextAttemptAt: null },
        { attempts: 4, isReplay: false, nextAttemptAt: new Date(caller.now.getTime() + 3_600_000) },
        { attempts: 0 },
      ];
      await store.changes.housekeep(async ({ delivery }) => {
        for (const [i, state] of states.entries()) {
          const where = { webhookId: webhook.id, revision: created[i]?.revision ?? 0n };
          await delivery.updateMany({ where, data: { ...state, createdAt: before } });
        }
        // As a test event that failed, which the log of events does not send.
        const [row] = await delivery.findMany({ where: { webhookId: webhook.id }, take: 1 });
        if (row === undefined) throw new Error('there is no delivery');
        const tested = { ...row, ...states[1], revision: 2n ** 40n, type: 'webhook.tested' };
        await delivery.create({ data: tested });
      });
      // Events that wait already take no further place.
      const { countPending } = store.deliveries;
      store.deliveries.countPending = async () => limits.pendingDeliveries - 1;
      onTestFinished(() => {
        store.deliveries.countPending = countPending;
      });
      expect(await replayEvents(management(), caller, { webhookId: webhook.id, failed: true })).toBe(2);
      const due = await store.deliveries.list({ webhookId: webhook.id, limit: 10 });
      const again = due.filter(({ createdAt }) => createdAt.getTime() === caller.now.getTime()).toReversed();
      expect(again.map(({ revision }) => revision)).toEqual([created[1]?.revision, created[2]?.revision]);
      const isDue = { outcome: 'PENDING', attempts: 0, nextAttemptAt: caller.now };
      expect(again).toMatchObject([
        { ...isDue, isReplay: true },
        { ...isDue, isReplay: false },
      ]);
      expect((await actions())[0]).toBe('EVENTS_REPLAYED');
      expect(await replayEvents(management(), caller, { webhookId: webhook.id, failed: true })).toBe(0);
    });

    it('of a disabled webhook, or without events, is rejected', async () => {
      const { caller, create } = newTeam();
      const { webhook } = await create();
      const replay = (input: object) => codeOf(replayEvents(management(), caller, { webhookId: webhook.id, ...input }));
      const from = new Date(0);
      const mixed = [
        { eventIds: ['x'], failed: true },
        { from, failed: true },
        { to: from, failed: true },
      ];
      for (const input of [{}, { eventIds: [] }, { to: from }, { eventIds: ['x'], from }, ...mixed])
        expect(await replay(input)).toBe('BAD_USER_INPUT');
      await updateWebhook(management(), caller, webhook.id, { enabled: false });
      expect(await replay({ from })).toBe('BAD_USER_INPUT');
    });
  });

  it('two test events of an endpoint and four of a team are sent at the same time, others are rejected', async () => {
    const { caller, create } = newTeam();
    const { sendOnce } = management();
    const held: (() => void)[] = [];
    const hold: typeof sendOnce = async () => {
      await new Promise<void>((resolve) => held.push(resolve));
      const answer = { outcome: 'DELIVERED', status: 200, error: null, durationMs: 1, responseBody: '' } as const;
      return { ...answer, attemptedAt: new Date() };
    };
    Object.assign(management(), { sendOnce: hold });
    try {
      const webhooks = [await create(), await create(), await create()].map(({ webhook }) => webhook);
      const test = (i: number) => sendTestEvent(management(), caller, webhooks[i]?.id ?? '');
      const sent = [test(0), test(0), test(1)];
      await expect.poll(() => held.length).toBe(3);
      expect(await codeOf(test(0))).toBe('RATE_LIMITED');
      sent.push(test(1));
      await expect.poll(() => held.length).toBe(4);
      expect(await codeOf(test(2))).toBe('RATE_LIMITED');
      for (const release of held.splice(0)) release();
      const deliveries = await Promise.all(sent);
      expect(deliveries.map(({ type, outcome }) => [type, outcome])).toEqual(
        deliveries.map(() => ['webhook.tested', 'DELIVERED']),
      );
      // Their places are free again.
      const again = test(2);
      await expect.poll(() => held.length).toBe(1);
      for (const release of held.splice(0)) release();
      const delivery = await again;
      const listing = { webhookId: webhooks[2]?.id ?? '', limit: 10 };
      expect(await management().store.deliveries.list(listing)).toEqual([delivery]);
      // Each is an event of its own, with an entry of the log.
      const { auditLog } = management().store;
      for (const { revision } of [...deliveries, delivery]) {
        expect(await auditLog.find([revision])).toMatchObject([{ revision, action: 'WEBHOOK_TESTED' }]);
      }
      expect(new Set(deliveries.map(({ revision }) => revision)).size).toBe(deliveries.length);
    } finally {
      Object.assign(management(), { sendOnce });
    }
  });
});

it('changes that can be repeated count in the budget of the team; disabling and removing always work', async () => {
  const running = await startService('sqlite', { TEAM_CHANGES_PER_HOUR: '4' });
  const { management } = running.service;
  const teamId = randomUUID();
  const caller = callerOf({ [teamId]: everything });
  const { webhook } = await createWebhook(management, caller, { teamId, url });
  // Once, with what it makes due before.
  for (const enabled of [false, true]) await updateWebhook(management, caller, webhook.id, { enabled });
  for (const description of ['a', 'b']) await updateWebhook(management, caller, webhook.id, { description });
  const { id } = webhook;
  const repeatable = [
    createWebhook(management, caller, { teamId, url }),
    updateWebhook(management, caller, id, { description: 'c' }),
    rotateWebhookSecret(management, caller, id, 0),
    sendTestEvent(management, caller, id),
    replayEvents(management, caller, { webhookId: id, from: new Date(0) }),
  ].map(codeOf);
  for (const code of repeatable) expect(await code).toBe('RATE_LIMITED');
  expect((await updateWebhook(management, caller, id, { enabled: false })).disabledReason).toBe('MANUAL');
  expect(await codeOf(updateWebhook(management, caller, id, { enabled: true }))).toBe('RATE_LIMITED');
  await deleteWebhook(management, caller, id);
  await running.stop();
});

it('the deliveries of a replay count in the budget of the team', async () => {
  const changesPerHour = 60;
  const running = await startService('sqlite', { TEAM_CHANGES_PER_HOUR: String(changesPerHour) });
  const { management } = running.service;
  const teamId = randomUUID();
  const caller = callerOf({ [teamId]: everything });
  const { webhook } = await createWebhook(management, caller, { teamId, url, types: ['key.created'] });
  for (let i = 0; i < 30; i += 1) await createKey(management, caller, { teamId, name: 'A key', env: 'live' });
  const { webhooks, auditLog } = management.store;
  const isRead = async () => (await webhooks.find(webhook.id))?.cursor === (await auditLog.lastRevision());
  await expect.poll(isRead).toBe(true);
  const replay = () => codeOf(replayEvents(management, caller, { webhookId: webhook.id, from: new Date(0) }));
  const codes: unknown[] = [];
  for (let i = 0; i < 10; i += 1) codes.push(await replay());
  expect(codes[0]).toBeNull();
  expect(codes.at(-1)).toBe('RATE_LIMITED');
  await running.stop();
});

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : 1;
}
