/** With millions of keys, what reads a whole table takes longer than a statement of a request may. */

import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { readConfiguration } from '../../src/config/configuration.ts';
import { keyRing } from '../../src/domain/secret/key-ring.ts';
import { Store } from '../../src/store/store.ts';
import { temporaryDatabase } from '../support/databases.ts';

/** The store gives a statement of a request less time. */
const requestMs = 1500;
const ringKey = (id: string) => ({ id, bytes: randomBytes(32) });
const [old, current] = [ringKey('old'), ringKey('current')];

test.each<[what: string, run: (store: Store) => Promise<unknown>, result: unknown]>([
  ['a start counts what needs a missing ring key', (store) => store.startWithRing('pepper', keyRing([current])), []],
  ['a command lists the keys with a signing secret', (store) => store.keys.sealed(null, 100), []],
  ['the service looks for unused keys', (store) => store.keyMoments.uses(randomUUID(), 200), []],
  ['the purge looks for revoked keys', (store) => store.purge.revokedKeys(new Date()), 0],
])('on PostgreSQL, %s although that takes seconds', async (_, run, result) => {
  const { store, unlock } = await lockedStore();
  const running = run(store);
  await pause(2 * requestMs);
  await unlock();
  expect(await running).toEqual(result);
});

test('closing the store ends such a read, so that a process stops in time', async () => {
  const { store, waiting } = await lockedStore();
  const running = store.purge.revokedKeys(new Date());
  const ended = expect(running).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await expect.poll(waiting).toBe(true);
  await store.close();
  await ended;
});

test('closing the store ends every connection, also of a client that was never used, so that commands end', async () => {
  const database = await temporaryDatabase('postgresql');
  closes.push(() => database.remove());
  await (await Store.open(readConfiguration({ DATABASE_URL: database.url }).DATABASE_URL)).close();
  const store = await Store.openAsItIs(readConfiguration({ DATABASE_URL: database.url }).DATABASE_URL);
  await store.close();
  const other = new pg.Client(database.url);
  await other.connect();
  closes.push(() => other.end());
  const others = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`;
  await expect.poll(async () => (await other.query(others)).rowCount).toBe(0);
});

const closes: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closes.splice(0).reverse()) await close();
});

/** Reads of keys wait for a lock as they would for the disk. */
async function lockedStore() {
  const database = await temporaryDatabase('postgresql');
  closes.push(() => database.remove());
  const store = await Store.open(readConfiguration({ DATABASE_URL: database.url }).DATABASE_URL);
  closes.push(() => store.close());
  await store.startWithRing('pepper', keyRing([old]));
  await store.startWithRing('pepper', keyRing([current, old]));
  const other = new pg.Client(database.url);
  await other.connect();
  closes.push(() => other.end());
  await other.query('BEGIN; LOCK TABLE "ApiKey" IN ACCESS EXCLUSIVE MODE');
  const waiting = async () => {
    const { rows } = await other.query(`SELECT 1 FROM pg_locks WHERE NOT granted AND relation = '"ApiKey"'::regclass`);
    return rows.length > 0;
  };
  return { store, waiting, unlock: () => other.query('COMMIT') };
}
