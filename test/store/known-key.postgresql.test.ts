/** What a change of one key is written with on PostgreSQL, and that it is compared with the key as it is. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, expect, it, type MockInstance, onTestFinished, vi } from 'vitest';
import { createKey } from '../../src/manage/change/create-key.ts';
import { disableKey, enableKey, revoked, revokeKey } from '../../src/manage/change/key-state.ts';
import { updateKey } from '../../src/manage/change/update-key.ts';
import { keyWithId } from '../../src/store/changes/key-state.ts';
import { inTests } from '../support/in-tests.ts';
import { both, callerOf, secondInstance, startService } from '../support/service.ts';

const running = inTests(() => startService('postgresql'));
const team = randomUUID();
const caller = callerOf({ [team]: both });
const create = (name = 'A key') =>
  createKey(running.service.management, caller, { teamId: team, name, env: 'live' }).then(({ apiKey }) => apiKey);
const find = (id: string) => running.service.management.store.keys.find(id);
const entriesOf = async (keyId: string) => {
  const { store } = running.service.management;
  return (await store.auditLog.list({ teamId: team, keyId, limit: 500 })).map(({ action }) => action).reverse();
};

let statements: MockInstance;
beforeEach(() => {
  statements = vi.spyOn(pg.Client.prototype, 'query');
});
afterEach(() => statements.mockRestore());
const sent = () => statements.mock.calls.map(([query]) => String(Object(query).text ?? query));
const alone = () =>
  sent().filter((text) => text.includes('UPDATE "ApiKey" AS k') && text.includes('INSERT INTO "AuditEntry"'));

it('a revocation is one statement, after the read of the key: its row, its entry and its revision', async () => {
  const { management } = running.service;
  const { id, revision } = await create();
  let named = 0n;
  const answer = await revokeKey(management, { ...caller, changed: (at) => (named = at) }, id);
  expect(alone()).toHaveLength(1);
  const stored = await find(id);
  expect(stored).toEqual(answer);
  expect(stored?.revokedAt).toEqual(caller.now);
  expect(stored?.revision).toBe(revision + 1n);
  expect(named).toBe(stored?.revision);
  expect(await entriesOf(id)).toEqual(['KEY_CREATED', 'KEY_REVOKED']);
});

it('is made in a transaction, and loses nothing, if the key was changed since it was read', async () => {
  const { management } = running.service;
  const stale = await create();
  await updateKey(management, caller, stale.id, { name: 'Another name', scopes: ['a'] });
  const { changes } = management.store;
  const load = { ...keyWithId(stale.id), known: stale };
  const decide = revoked(caller);
  const answer = await changes.submit({
    queueKey: team,
    caller,
    load,
    decide: (key: typeof stale | null, revision) => decide(key ?? stale, revision),
  });
  expect(answer).toMatchObject({ name: 'Another name', scopes: ['a'], revokedAt: caller.now });
  expect(await find(stale.id)).toEqual(answer);
  expect(await entriesOf(stale.id)).toEqual(['KEY_CREATED', 'KEY_UPDATED', 'KEY_REVOKED']);
});

it('neither a change nor the revocation is lost when two instances make them at once', async () => {
  const { management } = running.service;
  const other = await secondInstance(running);
  onTestFinished(() => other.close());
  for (let round = 0; round < 20; round += 1) {
    const { id } = await create();
    const disabling = disableKey(other.management, caller, id).then(() => enableKey(other.management, caller, id));
    const [, renamed, , ended] = await Promise.allSettled([
      disabling,
      updateKey(other.management, caller, id, { name: `Name ${round}` }),
      updateKey(management, caller, id, { description: 'Described' }),
      revokeKey(management, caller, id),
    ]);
    expect(ended.status).toBe('fulfilled');
    const key = await find(id);
    expect(key?.revokedAt).not.toBeNull();
    if (renamed.status === 'fulfilled') expect(key?.name).toBe(`Name ${round}`);
    const entries = await entriesOf(id);
    expect(entries.filter((action) => action === 'KEY_REVOKED')).toHaveLength(1);
    expect(entries.at(-1)).toBe('KEY_REVOKED');
  }
});

it('is made in a transaction by a program, whose management key is read under the lock', async () => {
  const { management } = running.service;
  const { id } = await create();
  const credential = { kind: 'MANAGEMENT_KEY', id: randomUUID(), secretVersion: 1 } as const;
  await expect(revokeKey(management, { ...caller, credential }, id)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  expect(alone()).toEqual([]);
  expect((await find(id))?.revokedAt).toBeNull();
});
