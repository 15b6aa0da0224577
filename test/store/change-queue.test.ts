/** What changes to keys may rely on: one order of revisions, and no change spoiled by another. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ApiKey } from '../../src/domain/api-key.ts';
import { auditEntry } from '../../src/manage/caller.ts';
import { createKey } from '../../src/manage/create-key.ts';
import { updateKey } from '../../src/manage/update-key.ts';
import type { Decision } from '../../src/store/change.ts';
import { providers } from '../support/databases.ts';
import { both, callerOf, startService } from '../support/service.ts';

describe.each(providers)('on %s', (provider) => {
  it('concurrent changes of several instances get distinct revisions, and the key has the last one', async () => {
    const one = await startService(provider);
    // Two more instances, each with connections of its own, on the same database.
    const { compose } = await import('../support/compose.ts');
    const { readConfiguration } = await import('../../src/config/configuration.ts');
    const environment = { DATABASE_URL: one.database.url, DATA_DIR: one.database.directory, LOG_LEVEL: 'silent' };
    const others = [await compose(readConfiguration(environment)), await compose(readConfiguration(environment))];
    const managements = [one.service.management, ...others.map(({ management }) => management)];
    const team = randomUUID();
    const caller = callerOf({ [team]: both });
    const { apiKey } = await createKey(one.service.management, caller, { teamId: team, name: 'Name', env: 'live' });

    const changes = Array.from({ length: 60 }, (_, i) => managements[i % 3]).map((management, i) =>
      management === undefined ? undefined : updateKey(management, caller, apiKey.id, { name: `Name ${i}` }),
    );
    await Promise.all(changes);

    const entries = await one.service.management.store.auditLog.list({ teamId: team, limit: 100 });
    expect(entries).toHaveLength(61);
    expect(new Set(entries.map(({ revision }) => revision)).size).toBe(61);
    // Each change was decided on the state that the one before it had left.
    const names = [...entries].reverse().map(({ changes }) => changes.find(({ field }) => field === 'name'));
    for (const [i, name] of names.entries()) expect(name?.before).toBe(i === 0 ? null : names[i - 1]?.after);
    expect((await one.service.management.store.keys.find(apiKey.id))?.name).toBe(names.at(-1)?.after);
    for (const other of others) await other.close();
    await one.stop();
  });

  it("a change that can't be written fails alone; the others of its group are written", async () => {
    const { service, stop } = await startService(provider);
    const team = randomUUID();
    const caller = callerOf({ [team]: both });
    const { store } = service.management;
    const { apiKey } = await createKey(service.management, caller, { teamId: team, name: 'Name', env: 'live' });
    // The same prefix and digest again, which no database takes.
    const clashing: ApiKey = { ...apiKey, id: randomUUID() };
    const submit = (key: ApiKey) =>
      store.changes.submit({
        kind: 'create',
        teamId: team,
        decide: (): Decision<string> => ({
          answer: key.id,
          write: { key, audit: auditEntry(caller, 'KEY_CREATED', null, key) },
        }),
      });
    const fresh = (n: number): ApiKey => ({ ...apiKey, id: randomUUID(), prefix: `p${n}`, digest: `d${n}` });
    const results = await Promise.allSettled([submit(fresh(1)), submit(clashing), submit(fresh(2))]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await store.keys.find(clashing.id)).toBeNull();
    expect(await store.auditLog.list({ teamId: team, keyId: clashing.id, limit: 1 })).toEqual([]);
    expect(await store.auditLog.list({ teamId: team, limit: 10 })).toHaveLength(3);
    await stop();
  });

  it('a change sees the revision that the one before it in its group has left', async () => {
    const { service, stop } = await startService(provider);
    const team = randomUUID();
    const caller = callerOf({ [team]: both });
    const { apiKey } = await createKey(service.management, caller, { teamId: team, name: 'Name', env: 'live' });
    const rename = (name: string) => updateKey(service.management, caller, apiKey.id, { name });
    const [first, second, same] = await Promise.all([rename('First'), rename('Second'), rename('Second')]);
    expect(first.revision).toBeGreaterThan(apiKey.revision);
    expect(second.revision).toBeGreaterThan(first.revision);
    expect(same.revision).toBe(second.revision);
    expect(await service.management.store.keys.find(apiKey.id)).toEqual(second);
    await stop();
  });

  it('a change that is submitted the moment another was answered is not forgotten', async () => {
    const { service, stop } = await startService(provider);
    const team = randomUUID();
    const caller = callerOf({ [team]: both });
    for (let i = 0; i < 20; i += 1) {
      await createKey(service.management, caller, { teamId: team, name: `Key ${i}`, env: 'live' });
    }
    expect(await service.management.store.auditLog.list({ teamId: team, limit: 100 })).toHaveLength(20);
    await stop();
  });

  it('an error within a group takes no revision from the others and writes nothing', async () => {
    const { service, stop } = await startService(provider);
    const team = randomUUID();
    const caller = callerOf({ [team]: both });
    const { store } = service.management;
    const refuse = () =>
      store.changes.submit({
        kind: 'create',
        teamId: team,
        decide: () => {
          throw new Error('rejected');
        },
      });
    const create = () => createKey(service.management, caller, { teamId: team, name: 'Name', env: 'live' });
    const results = await Promise.allSettled([create(), refuse(), create()]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const entries = await store.auditLog.list({ teamId: team, limit: 10 });
    expect(entries).toHaveLength(2);
    await stop();
  });
});
