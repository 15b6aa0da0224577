/** The upkeep writes the names that version 0.1 wrote as this version sorts and searches them. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import type { Management } from '../../src/manage/management.ts';
import { encodeCursor } from '../../src/manage/read/page.ts';
import { type ListKeysInput, listKeys } from '../../src/manage/read/read-keys.ts';
import { convertNames, startConvertingNames } from '../../src/manage/upkeep/convert-names.ts';
import { Decision } from '../../src/store/changes/change.ts';
import { keyWithId } from '../../src/store/changes/key-state.ts';
import { theProvider } from '../support/databases.ts';
import { addManyKeys } from '../support/many-keys.ts';
import { writeNamesAsBefore } from '../support/old-names.ts';
import { both, callerOf } from '../support/service.ts';
import { runSql } from '../support/sql.ts';
import { openStores } from '../support/stores.ts';

interface Row extends Record<string, unknown> {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
}

const teamId = randomUUID();
/** They sort differently as versions 0.1 and this one write them. */
const inOrder = Array.from({ length: 250 }, (_, i) => `Key ${i}`);
let stores: Awaited<ReturnType<typeof openStores>>;
let keys: readonly Row[];
beforeEach(async () => {
  stores = await openStores(theProvider);
  await addManyKeys(stores.database.url, { teamId, count: inOrder.length, revoked: false });
  keys = (await rows()).map(({ key }) => key);
  await writeNamesAsBefore(stores.database.url, keys);
});
afterEach(() => stores.stop());

/** All keys, and apart from them what a conversion changes. */
async function rows() {
  const all = await runSql(stores.database.url, `SELECT * FROM "ApiKey" ORDER BY "id"`);
  return all.map(({ searchText, revision, ...key }) => ({
    key: key as Row,
    isOld: !String(searchText).startsWith('\n'),
    revision: Number(revision),
  }));
}
const countOld = async () => (await rows()).filter(({ isOld }) => isOld).length;

const page = async (input: Partial<ListKeysInput> = {}) => {
  // The only part that a list needs.
  const management = { store: stores.store } as Management;
  const orderBy = { field: 'NAME', direction: 'ASC' } as const;
  const { edges, ...more } = await listKeys(management, callerOf({ [teamId]: both }), {
    teamId,
    first: 500,
    orderBy,
    ...input,
  });
  return { ...more, names: edges.map(({ node }) => node.name), after: edges.at(-1)?.cursor };
};

it('converts names in batches until none is left, also after it was ended, and changes nothing else of a key', async () => {
  await convertNames(stores.store, 0n, () => true);
  expect(await countOld()).toBe(150);
  await convertNames(stores.store);
  const converted = await rows();
  expect(converted.filter(({ isOld }) => isOld)).toEqual([]);
  expect(converted.map(({ key }) => key)).toEqual(keys);
  expect((await page()).names).toEqual(inOrder);
  expect(await stores.store.auditLog.list({ teamId, limit: 1 })).toEqual([]);
});

it('converts a name that version 0.1 writes later, and writes no other key again', async () => {
  const until = await convertNames(stores.store);
  const before = await rows();
  const changed = keys.slice(7, 8);
  await writeNamesAsBefore(stores.database.url, changed);
  expect(await countOld()).toBe(1);
  await convertNames(stores.store, until);
  const after = await rows();
  expect(after.filter(({ isOld }) => isOld)).toEqual([]);
  const written = after.filter(({ revision }, i) => revision !== before[i]?.revision);
  expect(written.map(({ key }) => key.id)).toEqual(changed.map(({ id }) => id));
});

it('never undoes a change that is made between its read and its write', async () => {
  const { store } = stores;
  const { changedSince } = store.keys;
  const read = vi.spyOn(store.keys, 'changedSince').mockImplementationOnce(async (revision, limit) => {
    const batch = await changedSince.call(store.keys, revision, limit);
    for (const { id } of batch.slice(0, 3)) {
      await store.changes.submit({
        queueKey: 'a team',
        load: keyWithId(id),
        decide: (key) => new Decision(null, key === null ? {} : { key: { ...key, name: 'Renamed' } }),
      });
    }
    return batch;
  });
  onTestFinished(() => read.mockRestore());
  await convertNames(store);
  expect(await countOld()).toBe(0);
  expect((await page()).names.filter((name) => name === 'Renamed')).toHaveLength(3);
});

it('starts with the service, repeats after an error, and ends before the store is closed', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const error = new Error('the store does not answer');
  const read = vi.spyOn(stores.store.keys, 'changedSince').mockRejectedValueOnce(error);
  onTestFinished(() => read.mockRestore());
  const report = vi.fn();
  const stop = startConvertingNames(stores.store, report);
  await vi.waitFor(() => expect(report.mock.calls).toEqual([[error, expect.stringContaining('retrying later')]]));
  expect(await countOld()).toBe(250);
  vi.advanceTimersByTime(30_000);
  await vi.waitFor(async () => expect(await countOld()).toBe(0), { timeout: 30_000 });
  await writeNamesAsBefore(stores.database.url, keys.slice(0, 1));
  await vi.waitFor(
    async () => {
      vi.advanceTimersByTime(30_000);
      expect(await countOld()).toBe(0);
    },
    { timeout: 30_000 },
  );
  await stop();
  const reads = read.mock.calls.length;
  vi.advanceTimersByTime(60_000);
  expect(read.mock.calls.length).toBe(reads);
});

it('a cursor of a list by name is rejected where keys may have moved, and never loses or repeats one', async () => {
  const restart = {
    code: 'BAD_USER_INPUT',
    fields: [{ field: 'after', message: expect.stringMatching(/read the list again from its start$/) }],
  };
  const ofOldVersion = encodeCursor(['NAME', 'key 1\nlk_live_x', randomUUID()]);
  const before = await page({ first: 10 });
  expect([before.names.length, before.hasNextPage]).toEqual([10, true]);
  for (const after of [before.after, ofOldVersion])
    await expect(page({ first: 10, after })).rejects.toMatchObject(restart);
  const byDate = { orderBy: { field: 'CREATED_AT', direction: 'ASC' } } as const;
  const { after: dated } = await page({ first: 10, ...byDate });
  const until = await convertNames(stores.store);
  for (const after of [before.after, ofOldVersion])
    await expect(page({ first: 10, after })).rejects.toMatchObject(restart);
  expect((await page({ after: dated, ...byDate })).names).toEqual(inOrder.slice(10));
  const { names, after } = await page({ first: 10 });
  expect([...names, ...(await page({ after })).names]).toEqual(inOrder);
  await writeNamesAsBefore(stores.database.url, keys.slice(0, 1));
  await expect(page({ after })).rejects.toMatchObject(restart);
  await convertNames(stores.store, until);
  expect((await page({ after })).names).toEqual(inOrder.slice(10));
});
