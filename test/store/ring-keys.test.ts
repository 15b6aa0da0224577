/** Peppers and key-encryption keys belong to their database: it is not opened with others, nor by two with different ones. */
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfiguration } from '../../src/config/configuration.ts';
import { keyRing, type RingKey } from '../../src/domain/secret/key-ring.ts';
import { Store } from '../../src/store/store.ts';
import { providers, temporaryDatabase } from '../support/databases.ts';
import type { TemporaryDatabase } from '../support/temporary-database.ts';

const key = (id: string): RingKey => ({ id, bytes: randomBytes(32) });
const [first, second, foreign] = [key('first'), key('second'), key('foreign')];

describe.each(providers)('on %s', (provider) => {
  let database: TemporaryDatabase;
  const stores: Store[] = [];
  const open = async () => {
    const store = await Store.open(readConfiguration({ DATABASE_URL: database.url }).DATABASE_URL);
    stores.push(store);
    return store;
  };

  beforeEach(async () => {
    database = await temporaryDatabase(provider);
  });
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
    await database.remove();
  });

  it('a ring is renewed step by step, each of which shares a key with the one before', async () => {
    const store = await open();
    const steps = [[first], [first, second], [second, first], [second]] as const;
    for (const ring of steps) expect(await store.startWithRing('pepper', keyRing(ring))).toEqual([]);
  });

  it('a ring that shares none is rejected, also before there is any key, and leaves nothing behind', async () => {
    const store = await open();
    expect(await store.startWithRing('pepper', keyRing([first]))).toEqual([]);
    for (let i = 0; i < 2; i += 1) {
      expect(await store.startWithRing('pepper', keyRing([foreign]))).toEqual([
        'expected first, which this database is used with: all instances must be given the same',
      ]);
    }
    const another = key('foreign');
    expect(await store.startWithRing('pepper', keyRing([another, first]))).toEqual([]);
    expect(await store.startWithRing('pepper', keyRing([foreign, first]))).toEqual([
      'foreign has other bytes than the ones that this database was used with',
    ]);
    // The purposes know nothing of each other.
    expect(await store.startWithRing('signing-kek', keyRing([foreign]))).toEqual([]);
  });

  // Two that write to SQLite from one thread would wait for each other.
  if (provider === 'postgresql') {
    it('of several services with different rings that start at the same time, one starts', async () => {
      const instances = await Promise.all([open(), open(), open(), open()]);
      // Once they are connected, they really are at it at once.
      await Promise.all(instances.map((store) => store.startWithRing('signing-kek', keyRing([first]))));
      const answers = await Promise.all(
        instances.map((store, i) => store.startWithRing('pepper', keyRing([key(`generated-${i}`)]))),
      );
      expect(answers.filter((problems) => problems.length === 0)).toHaveLength(1);
    });
  }
});
