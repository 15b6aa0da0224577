/** The strict promise, at its root: what is decided on is never older than the question. */
import { hash, randomBytes, randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { readConfiguration } from '../../src/config/configuration.ts';
import { mintSecret } from '../../src/domain/secret/secret.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import { revokeKey } from '../../src/manage/change/key-state.ts';
import { updateKey } from '../../src/manage/change/update-key.ts';
import { openKeyFeed } from '../../src/store/feed/data-plane.ts';
import type { KeyFeed } from '../../src/store/feed/key-feed.ts';
import type { CachedMatch } from '../../src/verify/cached-key.ts';
import { Confirmation } from '../../src/verify/confirmation.ts';
import { KeyCache } from '../../src/verify/key-cache.ts';
import { providers } from '../support/databases.ts';
import { plainFeedKey } from '../support/plain-keys.ts';
import { stateOf } from '../support/put-back.ts';
import { both, callerOf, type RunningService, startService } from '../support/service.ts';

let running: RunningService | undefined;
const feeds: KeyFeed[] = [];

afterEach(async () => {
  for (const feed of feeds.splice(0)) await feed.close();
  await running?.stop();
  running = undefined;
});

const digestOf = (secret: string) => hash('sha256', secret, 'base64url');
const team = randomUUID();
const caller = callerOf({ [team]: both });

/** Counts what is asked of the store, and answers from it. */
function counted(feed: KeyFeed) {
  const asked: { since: number | null; digests: readonly string[] }[] = [];
  feeds.push(feed);
  return {
    asked,
    feed: {
      ...feed,
      read: (since: number | null, digests: readonly string[]) => {
        asked.push({ since, digests });
        return feed.read(since, digests);
      },
    } satisfies KeyFeed,
  };
}

function confirmationOver(feed: KeyFeed, cache = new KeyCache({ maxKeys: 1000 })) {
  if (running === undefined) throw new Error('no service runs');
  const { peppers } = running.service.management;
  const confirmation = new Confirmation({ feed, cache, peppers, pauseMs: 0 });
  const ask = (secret: string) =>
    new Promise<CachedMatch | undefined>((decide, fail) => {
      confirmation.ask({ secret, presented: digestOf(secret), decide, fail });
    });
  return { ask, cache };
}

const keyFeedOf = ({ database: { url } }: RunningService) =>
  openKeyFeed(readConfiguration({ DATABASE_URL: url }).DATABASE_URL);

describe.each(providers)('on %s', (provider) => {
  it('a change is seen by the next verification, however long the key was cached', async () => {
    running = await startService(provider);
    const { management } = running.service;
    const { ask } = confirmationOver(counted(keyFeedOf(running)).feed);
    const { apiKey, secret } = await createKey(management, caller, { teamId: team, name: 'One', env: 'live' });
    expect(await ask(secret)).toMatchObject({ id: apiKey.id, revoked: false });
    for (let i = 0; i < 20; i += 1) {
      await updateKey(management, caller, apiKey.id, { allowedIps: i % 2 === 0 ? ['10.0.0.1'] : [] });
      expect(await ask(secret)).toMatchObject({ restricted: i % 2 === 0 });
    }
    await revokeKey(management, caller, apiKey.id);
    expect((await ask(secret))?.revoked).toBe(true);
  });

  it('a key works once its creation is answered, even if it was verified before it existed', async () => {
    running = await startService(provider);
    const { management } = running.service;
    const { ask } = confirmationOver(counted(keyFeedOf(running)).feed);
    const before = await createKey(management, caller, { teamId: team, name: 'One', env: 'live' });
    expect(await ask(before.secret)).toBeDefined();
    const { secret } = await createKey(management, caller, { teamId: team, name: 'Two', env: 'live' });
    expect(await ask(secret)).toBeDefined();
    expect(await ask(secret.slice(0, -1) + (secret.endsWith('x') ? 'y' : 'x'))).toBeUndefined();
  });

  it('concurrent verifications of one key make one lookup in the store; a cached key makes none', async () => {
    running = await startService(provider);
    const { management } = running.service;
    const { feed, asked } = counted(keyFeedOf(running));
    const { ask } = confirmationOver(feed);
    const { secret } = await createKey(management, caller, { teamId: team, name: 'One', env: 'live' });
    const keys = await Promise.all(Array.from({ length: 100 }, () => ask(secret)));
    expect(keys.every((key) => key !== undefined)).toBe(true);
    expect(asked.flatMap(({ digests }) => digests)).toHaveLength(1);
    await Promise.all(Array.from({ length: 100 }, () => ask(secret)));
    expect(asked.flatMap(({ digests }) => digests)).toHaveLength(1);
    expect(asked.length).toBeLessThanOrEqual(3);
  });

  it('malformed keys cannot evict a key from the cache, and the cache stays within its limit', async () => {
    running = await startService(provider);
    const { management } = running.service;
    const { feed, asked } = counted(keyFeedOf(running));
    const { ask, cache } = confirmationOver(feed, new KeyCache({ maxKeys: 2 }));
    const make = async (name: string) =>
      (await createKey(management, caller, { teamId: team, name, env: 'live' })).secret;
    const [one, two, three] = [await make('One'), await make('Two'), await make('Three')];
    await ask(one);
    await ask(two);
    for (let i = 0; i < 50; i += 1) expect(await ask(`unknown ${i}`)).toBeUndefined();
    const before = asked.flatMap(({ digests }) => digests).length;
    await ask(one);
    await ask(two);
    expect(asked.flatMap(({ digests }) => digests)).toHaveLength(before);
    // All at once they are more than the cache holds, and still each is answered.
    expect((await Promise.all([ask(one), ask(two), ask(three)])).every((key) => key !== undefined)).toBe(true);
    expect(cache.size).toBe(2);
  });

  it('an evicted key that was then revoked stays revoked', async () => {
    running = await startService(provider);
    const { management } = running.service;
    const { ask } = confirmationOver(counted(keyFeedOf(running)).feed, new KeyCache({ maxKeys: 1 }));
    const one = await createKey(management, caller, { teamId: team, name: 'One', env: 'live' });
    const two = await createKey(management, caller, { teamId: team, name: 'Two', env: 'live' });
    await ask(one.secret);
    await ask(two.secret);
    await revokeKey(management, caller, one.apiKey.id);
    expect((await ask(one.secret))?.revoked).toBe(true);
    await revokeKey(management, caller, two.apiKey.id);
    expect((await ask(two.secret))?.revoked).toBe(true);
  });
});

describe.each(providers)(
  'on %s, when the database is put back to an earlier state under a running instance',
  (provider) => {
    it.each([
      { changesSince: 0, told: 'at once' },
      { changesSince: 5, told: 'although as many changes have been made since as were lost' },
    ])('a cached state newer than a restored store is discarded: $told', async ({ changesSince }) => {
      running = await startService(provider);
      const { management } = running.service;
      const { ask } = confirmationOver(counted(keyFeedOf(running)).feed);
      const create = (name: string) => createKey(management, caller, { teamId: team, name, env: 'live' });
      const kept = await create('Kept');
      const putBack = await stateOf(running);
      const later = await create('Later');
      await revokeKey(management, caller, kept.apiKey.id);
      expect(await ask(later.secret)).toBeDefined();
      expect((await ask(kept.secret))?.revoked).toBe(true);
      await putBack();
      for (let i = 0; i < changesSince; i += 1) await create(`Since ${i}`);
      expect(await ask(later.secret)).toBeUndefined();
      expect((await ask(kept.secret))?.revoked).toBe(false);
    });
  },
);

const key = (revoked: boolean) => ({
  ...plainFeedKey,
  id: 'id',
  teamId: team,
  name: 'One',
  env: 'live' as const,
  prefix: 'p',
  digest: '',
  revoked,
});

/** A round without changes. */
const quiet = { epoch: 'one', overflow: false, imports: false, leaseMs: 0 };
const minted = () => mintSecret('lk', 'live', randomBytes).secret;
const [secret, another] = [minted(), minted()] as const;

/** A store whose answers the test gives. */
function scripted() {
  const calls: { since: number | null; digests: readonly string[]; answer: PromiseWithResolversOf }[] = [];
  const feed: KeyFeed = {
    read: (since, digests) =>
      new Promise((resolve, reject) => {
        calls.push({ since, digests, answer: { resolve, reject } });
      }),
    close: async () => undefined,
  };
  return { calls, feed };
}
interface PromiseWithResolversOf {
  resolve: (round: Awaited<ReturnType<KeyFeed['read']>>) => void;
  reject: (error: unknown) => void;
}
const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe('with any responses of the store', () => {
  it('a verification that arrives during a round is decided on a later round', async () => {
    running = await startService('sqlite');
    const { calls, feed } = scripted();
    const { ask } = confirmationOver(feed);
    const first = ask(secret);
    await turn();
    const second = ask(secret);
    await turn();
    expect(calls).toHaveLength(1);
    const [digest = ''] = calls[0]?.digests ?? [];
    calls[0]?.answer.resolve({ ...quiet, revision: 5, keys: [{ ...key(false), digest }] });
    expect((await first)?.revoked).toBe(false);
    await turn();
    // The key is cached, but the second verification waits: a revoke may have been answered before it arrived.
    expect(calls).toHaveLength(2);
    expect(calls[1]).toMatchObject({ since: 5, digests: [] });
    calls[1]?.answer.resolve({ ...quiet, revision: 6, keys: [{ ...key(true), digest }] });
    expect((await second)?.revoked).toBe(true);
  });

  it('a failed round fails all verifications that wait for it, and the next round reads from the same revision', async () => {
    running = await startService('sqlite');
    const { calls, feed } = scripted();
    const { ask } = confirmationOver(feed);
    const first = ask(secret);
    await turn();
    const [digest = ''] = calls[0]?.digests ?? [];
    calls[0]?.answer.resolve({ ...quiet, revision: 5, keys: [{ ...key(false), digest }] });
    await first;
    const failing = [ask(secret), ask(secret)];
    await turn();
    calls[1]?.answer.reject(new Error('gone'));
    expect((await Promise.allSettled(failing)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const again = ask(secret);
    await turn();
    expect(calls[2]).toMatchObject({ since: 5 });
    calls[2]?.answer.resolve({ ...quiet, revision: 7, keys: [{ ...key(true), digest }] });
    expect((await again)?.revoked).toBe(true);
  });

  it('a read that fails at once may have been applied in part, so the cache is discarded', async () => {
    running = await startService('sqlite');
    const known: (number | null)[] = [];
    let isBroken = false;
    const feed: KeyFeed = {
      read: (since, [digest]) => {
        known.push(since);
        if (isBroken) throw new Error('gone');
        return { ...quiet, revision: 5, keys: digest === undefined ? [] : [{ ...key(false), digest }] };
      },
      close: async () => undefined,
    };
    const { ask, cache } = confirmationOver(feed);
    await ask(secret);
    isBroken = true;
    await expect(ask(secret)).rejects.toThrow('gone');
    expect(cache.size).toBe(0);
    isBroken = false;
    expect((await ask(secret))?.revoked).toBe(false);
    expect(known).toEqual([null, 5, null]);
  });

  it('an exception in one decision does not affect the others', async () => {
    running = await startService('sqlite');
    const { calls, feed } = scripted();
    const { peppers } = running.service.management;
    const confirmation = new Confirmation({ feed, cache: new KeyCache({ maxKeys: 10 }), peppers, pauseMs: 0 });
    const heard: string[] = [];
    const wrong = () => {
      throw new Error('wrong');
    };
    confirmation.ask({ secret: 'a', presented: 'a', decide: wrong, fail: () => heard.push('failed') });
    confirmation.ask({ secret: 'b', presented: 'b', decide: () => heard.push('decided'), fail: wrong });
    await turn();
    calls[0]?.answer.resolve({ ...quiet, revision: 1, keys: [] });
    await turn();
    expect(heard).toEqual(['failed', 'decided']);
  });

  it('after too many changes to fetch, the whole cache is discarded', async () => {
    running = await startService('sqlite');
    const { calls, feed } = scripted();
    const { ask, cache } = confirmationOver(feed);
    const first = ask(secret);
    await turn();
    const [digest = ''] = calls[0]?.digests ?? [];
    calls[0]?.answer.resolve({ ...quiet, revision: 5, keys: [{ ...key(false), digest }] });
    await first;
    const [other, cached] = [ask(another), ask(secret)];
    await turn();
    calls[1]?.answer.resolve({ ...quiet, revision: 50_000, overflow: true, keys: [] });
    expect(await other).toBeUndefined();
    expect(cache.size).toBe(0);
    // A verification that relied on the cache is not answered NOT_FOUND: its key is read again.
    await turn();
    expect(calls[2]).toMatchObject({ since: 50_000, digests: [digest] });
    calls[2]?.answer.resolve({ ...quiet, revision: 50_000, keys: [{ ...key(true), digest }] });
    expect((await cached)?.revoked).toBe(true);
  });

  it('a verification without a key learns in the same way whether any key was imported', async () => {
    running = await startService('sqlite');
    const { calls, feed } = scripted();
    const { peppers } = running.service.management;
    const confirmation = new Confirmation({ feed, cache: new KeyCache({ maxKeys: 10 }), peppers, pauseMs: 0 });
    const ask = () =>
      new Promise<boolean>((resolve, fail) => {
        confirmation.ask({ secret: 'x', presented: null, decide: () => resolve(confirmation.imports), fail });
      });
    const before = ask();
    await turn();
    const after = ask();
    await turn();
    expect(calls.map(({ digests }) => digests)).toEqual([[]]);
    calls[0]?.answer.resolve({ ...quiet, revision: 5, overflow: true, keys: [] });
    expect(await before).toBe(false);
    await turn();
    calls[1]?.answer.resolve({ ...quiet, revision: 6, imports: true, keys: [] });
    expect(await after).toBe(true);
  });
});

/** A key imported under the n-th of the digests that were asked for. */
const imported = (digests: readonly string[], n: number, more: object = {}) => ({
  ...key(false),
  id: `imported ${n}`,
  digest: digests[n] ?? '',
  importRevision: n,
  ...more,
});

describe('of keys that were imported with one secret', () => {
  it.each([
    ['the one imported first counts', {}, {}, { id: 'imported 0', revoked: false }],
    ['by the order of commits', { importRevision: 9 }, {}, { id: 'imported 1' }],
    ['a revoked one counts before', {}, { revoked: true }, { id: 'imported 1', revoked: true }],
    ['none of two teams counts', {}, { teamId: 'another' }, { conflictingIds: ['imported 0', 'imported 1'] }],
    ['and a revoked one of them shows', {}, { teamId: 'another', revoked: true }, { revoked: true }],
  ])('of two keys that were imported with one secret, %s', async (_, first, second, expected) => {
    running = await startService('sqlite');
    const { calls, feed } = scripted();
    const { ask } = confirmationOver(feed);
    const asked = ask('sk-foreign');
    await turn();
    const { digests = [], answer } = calls[0] ?? {};
    const keys = [imported(digests, 0, first), imported(digests, 1, second)];
    answer?.resolve({ ...quiet, revision: 5, imports: true, keys });
    expect(await asked).toMatchObject(expected);
  });

  it('a verification on an imported key that got a conflict or released its digest is decided on a later read', async () => {
    running = await startService('sqlite');
    const { calls, feed } = scripted();
    const { ask, cache } = confirmationOver(feed);
    const first = ask('sk-foreign');
    await turn();
    const digests = calls[0]?.digests ?? [];
    calls[0]?.answer.resolve({ ...quiet, revision: 5, imports: true, keys: [imported(digests, 0)] });
    expect(await first).toMatchObject({ id: 'imported 0' });
    for (const [i, changed] of [imported(digests, 1), imported(digests, 0, { digest: 'released' })].entries()) {
      const relying = ask('sk-foreign');
      await turn();
      expect(calls[1 + 2 * i]?.digests).toEqual([]);
      calls[1 + 2 * i]?.answer.resolve({ ...quiet, revision: 6 + i, imports: true, keys: [changed] });
      await turn();
      expect([cache.size, calls[2 + 2 * i]?.digests]).toEqual([0, digests]);
      const known = [imported(digests, 0, { revoked: true })];
      calls[2 + 2 * i]?.answer.resolve({ ...quiet, revision: 6 + i, imports: true, keys: known });
      expect(await relying).toMatchObject({ revoked: true });
    }
  });
});

it('a round looks up no more uncached keys than its limit, serves cached ones at once, and later rounds serve the others', async () => {
  running = await startService('sqlite');
  const { management } = running.service;
  const { peppers } = management;
  const { asked, feed } = counted(keyFeedOf(running));
  const cache = new KeyCache({ maxKeys: 1000 });
  const confirmation = new Confirmation({ feed, cache, peppers, pauseMs: 0, maxMissing: 4 });
  const order: string[] = [];
  const ask = (name: string, secret: string) =>
    new Promise<CachedMatch | undefined>((resolve, fail) => {
      const decide = (match: CachedMatch | undefined) => {
        order.push(name);
        resolve(match);
      };
      confirmation.ask({ secret, presented: digestOf(secret), decide, fail });
    });
  const [cached, late] = await Promise.all(
    ['cached', 'late'].map((name) => createKey(management, caller, { teamId: team, name, env: 'live' })),
  );
  if (cached === undefined || late === undefined) throw new Error('no keys');
  await ask('warm-up', cached.secret);
  asked.length = 0;
  order.length = 0;
  const unknown = Array.from({ length: 10 }, () => mintSecret('lk', 'live', randomBytes).secret);
  const guesses = unknown.flatMap((secret, i) => [ask(`guess ${i}`, secret), ask(`guess ${i}`, secret)]);
  const [known, uncached] = await Promise.all([ask('cached', cached.secret), ask('late', late.secret)]);
  expect(await Promise.all(guesses)).toEqual(Array(20).fill(undefined));
  expect([known?.revoked, uncached?.revoked]).toEqual([false, false]);
  expect(asked.map(({ digests }) => digests.length)).toEqual([4, 4, 3]);
  // In the first round, beside four guesses that were asked twice.
  expect(order.indexOf('cached')).toBe(8);
});
