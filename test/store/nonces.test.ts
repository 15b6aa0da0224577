/** A nonce is accepted once, across all instances, for as long as its signature could be accepted. */
import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { readConfiguration } from '../../src/config/configuration.ts';
import type { Nonces } from '../../src/store/feed/nonces.ts';
import { openNonces } from '../../src/store/feed/verification-store.ts';
import { Store } from '../../src/store/store.ts';
import { providers, temporaryDatabase, theProvider } from '../support/databases.ts';
import { runSql } from '../support/sql.ts';
import type { TemporaryDatabase } from '../support/temporary-database.ts';

const hourMs = 3_600_000;
/** By the clock on the wall. In the past, so that PostgreSQL's own clock holds nothing back. */
const start = Date.now() - 24 * hourMs;
/** By the monotonic clock. */
let elapsedMs = 0;
const keyId = randomUUID();
let database: TemporaryDatabase;
let store: Store;
const opened: Nonces[] = [];

const address = () => readConfiguration({ DATABASE_URL: database.url }).DATABASE_URL;

afterEach(async () => {
  for (const nonces of opened.splice(0)) await nonces.close();
  await store.close();
  await database.remove();
});

describe.each(providers)('on %s', (provider) => {
  const open = async (count: number) => {
    database = await temporaryDatabase(provider);
    store = await Store.open(address());
    for (let i = 0; i < count; i += 1) opened.push(openNonces(address(), () => elapsedMs));
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

  it('returns whether a nonce was recorded, without recording it', async () => {
    const [one, two] = await open(2);
    expect([await two?.has(keyId, 'a'), await two?.has(keyId, 'a')]).toEqual([false, false]);
    expect(await claim(one, 'a', 60)).toEqual([true]);
    expect([await two?.has(keyId, 'a'), await two?.has(randomUUID(), 'a')]).toEqual([true, false]);
  });

  it('a nonce is not accepted again with another expiry', async () => {
    const [one] = await open(1);
    for (let seconds = 0; seconds < 1000; seconds += 37) {
      expect(await claim(one, `n${seconds}`, seconds)).toEqual([true]);
      for (const later of [0, 100, 200, 300]) expect(await claim(one, `n${seconds}`, seconds + later)).toEqual([false]);
    }
  });

  /** Advances the monotonic clock, and leaves the wall clock unchanged. */
  const pass = async (nonces: Nonces | undefined, minutes: number, wall: (minute: number) => number) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      elapsedMs += 60_000;
      await nonces?.purge(new Date(start + wall(minute) * 1000));
    }
  };

  it('what has expired is forgotten, and takes no space anymore', async () => {
    const [one] = await open(1);
    for (let round = 0; round < 6; round += 1) {
      await pass(one, 15, (minute) => round * 1200 + minute * 60);
      const expiresAt = new Date(start + (round * 1200 + 900) * 1000);
      const claims = Array.from({ length: 5000 }, (_, i) => ({ keyId, nonce: `nonce ${i}`, expiresAt }));
      // A hundred at a time, as a process sends them: one statement must end within its timeout on a busy machine too.
      for (let i = 0; i < claims.length; i += 100)
        expect((await one?.claim(claims.slice(i, i + 100)))?.every((fresh) => fresh)).toBe(true);
      await pass(one, 5, (minute) => round * 1200 + 900 + minute * 60);
    }
    if (provider === 'postgresql') {
      // Those of the last round alone: what was removed is gone, also where it takes several statements.
      const rows = await runSql(database.url, 'SELECT count(*)::integer AS count FROM "SignatureNonce"');
      expect(rows).toEqual([{ count: 5000 }]);
    } else {
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

  it('a nonce is not accepted again after the clock was an hour ahead, during the lifetime of its signature', async () => {
    const [one] = await open(1);
    await pass(one, 20, (minute) => minute * 60);
    expect(await claim(one, 'a', 1200 + 300)).toEqual([true]);
    await pass(one, 5, (minute) => 3600 + minute * 60);
    expect(await claim(one, 'ahead', 3600 + 400)).toEqual([true]);
    expect(await claim(one, 'a', 1200 + 300)).toEqual([false]);
  });

  it('a nonce of a clock that was an hour ahead is kept until its time has really come', async () => {
    const [one] = await open(1);
    await pass(one, 20, (minute) => minute * 60);
    expect(await claim(one, 'a', 1200 + 3600)).toEqual([true]);
    await pass(one, 55, (minute) => 1200 + minute * 60);
    expect(await claim(one, 'a', 1200 + 3600)).toEqual([false]);
    await pass(one, 30, (minute) => 1200 + 3600 + minute * 60);
    expect(await claim(one, 'a', 1200 + 3600)).toEqual([true]);
  });

  it('an instance that has just started purges nothing, at any time of its clock', async () => {
    const [one] = await open(1);
    await pass(one, 20, (minute) => minute * 60);
    expect(await claim(one, 'a', 1500)).toEqual([true]);
    const restarted = openNonces(address(), () => elapsedMs);
    opened.push(restarted);
    await pass(restarted, 5, () => 7200);
    expect(await claim(restarted, 'a', 1500)).toEqual([false]);
  });
});

if (theProvider === 'postgresql') {
  describe('on postgresql', () => {
    it("an instance whose clock is an hour ahead does not forget the others' nonces", async () => {
      database = await temporaryDatabase('postgresql');
      store = await Store.open(address());
      const [right, ahead] = [openNonces(address()), openNonces(address(), () => elapsedMs)];
      opened.push(right, ahead);
      const claims = [{ keyId, nonce: 'a', expiresAt: new Date(Date.now() + 300_000) }];
      expect(await right.claim(claims)).toEqual([true]);
      for (let minute = 0; minute < 20; minute += 1) {
        elapsedMs += 60_000;
        await ahead.purge(new Date(Date.now() + hourMs));
      }
      expect(await right.claim(claims)).toEqual([false]);
    });

    it('keeps its connections open from the start, so that no signed request after a pause waits for one', async () => {
      database = await temporaryDatabase('postgresql');
      store = await Store.open(address());
      const pids = async () => {
        const select = `SELECT pid FROM pg_stat_activity WHERE application_name = 'latchkey nonces'
          AND datname = current_database() AND state = 'idle'`;
        return (await runSql(database.url, select)).map(({ pid }) => pid);
      };
      // Not those of sockets: only the pool's timers of idle connections.
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      const nonces = openNonces(address());
      opened.push(nonces);
      await expect.poll(async () => (await pids()).length).toBe(2);
      const used = await pids();
      const expiresAt = new Date(Date.now() + hourMs);
      const claimBoth = (...both: string[]) =>
        Promise.all(both.map((nonce) => nonces.claim([{ keyId, nonce, expiresAt }])));
      expect(await claimBoth('a', 'b')).toEqual([[true], [true]]);
      vi.advanceTimersByTime(hourMs);
      expect(await claimBoth('c', 'd')).toEqual([[true], [true]]);
      expect((await pids()).toSorted()).toEqual(used.toSorted());
    });
  });
}
