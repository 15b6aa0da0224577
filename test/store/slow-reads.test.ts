/** With millions of keys, what reads a whole table takes longer than a statement of a request may. */
import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, test } from 'vitest';
import { readConfiguration } from '../../src/config/configuration.ts';
import { keyRing } from '../../src/domain/secret/key-ring.ts';
import { Store } from '../../src/store/store.ts';
import { pause } from '../load/schedule.ts';
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
  const database = await temporaryDatabase('postgresql');
  const store = await Store.open(readConfiguration({ DATABASE_URL: database.url }).DATABASE_URL);
  const other = new pg.Client(database.url);
  await other.connect();
  try {
    await store.startWithRing('pepper', keyRing([old]));
    await store.startWithRing('pepper', keyRing([current, old]));
    // The read waits for this lock as it would for the disk.
    await other.query('BEGIN; LOCK TABLE "ApiKey" IN ACCESS EXCLUSIVE MODE');
    const running = run(store);
    await pause(2 * requestMs);
    await other.query('COMMIT');
    expect(await running).toEqual(result);
  } finally {
    await other.end();
    await store.close();
    await database.remove();
  }
});
