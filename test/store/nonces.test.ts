/** A nonce is good once, for whoever asks, for as long as its signature could be accepted. */
import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { readConfiguration } from '../../src/config.ts';
import type { Nonces } from '../../src/store/nonces.ts';
import { Store } from '../../src/store/store.ts';
import { providers, type TemporaryDatabase, temporaryDatabase } from '../support/databases.ts';

const start = Date.parse('2026-06-01T12:00:00Z');
const keyId = randomUUID();
let database: TemporaryDatabase;
let store: Store;
const opened: Nonces[] = [];

afterEach(async () => {
  for (const nonces of opened.splice(0)) await nonces.close();
  await store.close();
  await database.remove();
});

describe.each(providers)('on %s', (provider) => {
  const open = async (count: number) => {
    database = await temporaryDatabase(provider);
    store = await Store.open(readConfiguration({ DATABASE_URL: database.url }).DATABASE_URL);
    for (let i = 0; i < count; i += 1) opened.push(store.openNonces());
    return opened;
  };
  const claim = (nonces: Nonces | undefined, nonce: string, seconds: number) =>
    nonces?.claim([{ keyId, nonce, expiresAt: new Date(start + seconds * 1000) }]);

  it('of two instances, and of two in one call, the first is fresh', async () => {
    const [one, two] = await open(2);
    expect(await claim(one, 'a', 60)).toEqual([true]);
    expect(await claim(two, 'a', 60)).toEqual([false]);
    const expiresAt = new Date(start);
    expect(await two?.claim(['b', 'b', 'a', 'c'].map((nonce) => ({ keyId, nonce, expiresAt })))).toEqual([
      true,
      false,
      false,
      true,
    ]);
    expect(await one?.claim([{ keyId: randomUUID(), nonce: 'a', expiresAt }])).toEqual([true]);
  });

  it('a nonce is not good again with another expiry, however the generations fall', async () => {
    const [one] = await open(1);
    for (let seconds = 0; seconds < 1000; seconds += 37) {
      expect(await claim(one, `n${seconds}`, seconds)).toEqual([true]);
      for (const later of [0, 100, 200, 300]) expect(await claim(one, `n${seconds}`, seconds + later)).toEqual([false]);
    }
  });

  it('what has expired is forgotten, and takes no space any more', async () => {
    const [one] = await open(1);
    for (let round = 0; round < 6; round += 1) {
      const expiresAt = new Date(start + round * 700_000);
      await one?.purge(expiresAt);
      const claims = Array.from({ length: 5000 }, (_, i) => ({ keyId, nonce: `nonce ${i}`, expiresAt }));
      expect((await one?.claim(claims))?.every((fresh) => fresh)).toBe(true);
    }
    if (provider === 'sqlite') {
      const file = `${database.url.replace('file:', '')}-nonces`;
      expect(statSync(file).size + statSync(`${file}-wal`).size).toBeLessThan(20_000_000);
    }
  });

  it('a clock that was an hour ahead and is set back does not block new nonces', async () => {
    const [one] = await open(1);
    expect(await claim(one, 'a', 3600)).toEqual([true]);
    expect(await claim(one, 'b', 3600 + 320)).toEqual([true]);
    expect(await claim(one, 'c', 0)).toEqual([true]);
    expect(await claim(one, 'c', 0)).toEqual([false]);
  });
});
