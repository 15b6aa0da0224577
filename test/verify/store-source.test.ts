// SECURITY.md: Hostile caller of the verification port
/** The strict promise over the store. test/engine has its guarantees with any answers, in any order. */
import { hash, randomBytes, randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { readConfiguration } from '../../src/config/configuration.ts';
import { mintDerived } from '../../src/domain/derived/derived-token.ts';
import { type KeyRing, keyRing } from '../../src/domain/secret/key-ring.ts';
import { digestsOf } from '../../src/domain/secret/secret-digest.ts';
import { ConfirmationRounds } from '../../src/engine/confirmation-rounds.ts';
import { KeyCache } from '../../src/engine/key-cache.ts';
import { systemScheduler } from '../../src/lib/scheduler.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import { revokeKey } from '../../src/manage/change/key-state.ts';
import { rotateKey } from '../../src/manage/change/rotate-key.ts';
import { updateKey } from '../../src/manage/change/update-key.ts';
import type { FeedKey, KeyFeed, StoreSnapshot } from '../../src/store/feed/key-feed.ts';
import { openKeyFeed } from '../../src/store/feed/verification-store.ts';
import { type CachedKey, keysInCache } from '../../src/verify/cached-key.ts';
import { RecentChanges } from '../../src/verify/recent-changes.ts';
import { StoreSource } from '../../src/verify/store-source.ts';
import { providers } from '../support/databases.ts';
import { minted } from '../support/feed-stand-in.ts';
import { idSecret, plainFeedKey } from '../support/plain-keys.ts';
import { both, callerOf, type RunningService, startService } from '../support/service.ts';

let running: RunningService | undefined;
const feeds: KeyFeed[] = [];

afterEach(async () => {
  for (const feed of feeds.splice(0)) await feed.close();
  await running?.stop();
  running = undefined;
});

const team = randomUUID();
const caller = callerOf({ [team]: both });
const ownPeppers = keyRing([{ id: 'p', bytes: randomBytes(32) }]);

interface Options {
  readonly peppers?: KeyRing;
  readonly maxKeys?: number;
  readonly maxMissing?: number;
  readonly leaseMs?: number;
}

/** Confirmation rounds over a feed, of which all reads are recorded. */
function roundsOver(feed: KeyFeed, options: Options = {}) {
  const { peppers = ownPeppers, maxKeys = 1000, maxMissing = Infinity, leaseMs = 0 } = options;
  const reads: { since: number | null; digests: readonly string[]; ids: readonly string[] }[] = [];
  const recorded: KeyFeed = {
    ...feed,
    read: (since, digests, ids = []) => {
      reads.push({ since, digests, ids });
      return feed.read(since, digests, ids);
    },
  };
  const source = new StoreSource({ feed: recorded, peppers, pauseMs: 0, leaseMs, changes: new RecentChanges() });
  const cache = new KeyCache<CachedKey>({ ...keysInCache, maxKeys });
  const rounds = new ConfirmationRounds({ source, cache, maxMissing, scheduler: systemScheduler });
  const confirm = (secret: string) =>
    new Promise<CachedKey | undefined>((decide, fail) => {
      rounds.confirm({ secret, cacheKey: hash('sha256', secret, 'base64url'), decide, fail });
    });
  return { confirm, cache, reads, source };
}

function roundsOverStore(options: Options = {}) {
  if (running === undefined) throw new Error('no service runs');
  const { service, database } = running;
  const feed = openKeyFeed(readConfiguration({ DATABASE_URL: database.url }).DATABASE_URL);
  feeds.push(feed);
  return roundsOver(feed, { ...options, peppers: service.management.peppers });
}

describe.each(providers)('on %s', (provider) => {
  it('a change is seen by the next verification, however long the key was cached', async () => {
    running = await startService(provider);
    const { management } = running.service;
    const { confirm } = roundsOverStore();
    const { apiKey, secret } = await createKey(management, caller, { teamId: team, name: 'One', env: 'live' });
    expect(await confirm(secret)).toMatchObject({ id: apiKey.id, revoked: false });
    for (let i = 0; i < 20; i += 1) {
      await updateKey(management, caller, apiKey.id, { allowedIps: i % 2 === 0 ? ['10.0.0.1'] : [] });
      expect(await confirm(secret)).toMatchObject({ restricted: i % 2 === 0 });
    }
    await revokeKey(management, caller, apiKey.id);
    expect((await confirm(secret))?.revoked).toBe(true);
  });

  it('a key works once its creation is answered, even if it was verified before it existed', async () => {
    running = await startService(provider);
    const { management } = running.service;
    const { confirm } = roundsOverStore();
    const before = await createKey(management, caller, { teamId: team, name: 'One', env: 'live' });
    expect(await confirm(before.secret)).toBeDefined();
    const { secret } = await createKey(management, caller, { teamId: team, name: 'Two', env: 'live' });
    expect(await confirm(secret)).toBeDefined();
    expect(await confirm(secret.slice(0, -1) + (secret.endsWith('x') ? 'y' : 'x'))).toBeUndefined();
  });

  it('the secret of a key, an earlier one and its tokens stay in the cache beside each other', async () => {
    running = await startService(provider);
    const { management } = running.service;
    const { confirm, reads } = roundsOverStore();
    const { apiKey, secret } = await createKey(management, caller, { teamId: team, name: 'One', env: 'live' });
    const current = (await rotateKey(management, caller, apiKey.id, { overlapSeconds: 600 })).secret;
    const token = (label: string) => {
      const ids = { keyId: apiKey.id, secretVersion: 2, expiresAt: Date.now() + 60_000 };
      return mintDerived('lk', 'live', { ...ids, scopes: [], sources: null, label }, management.peppers) ?? '';
    };
    const presented = [current, secret, token('a'), token('b')];
    for (const text of presented) expect(await confirm(text)).toMatchObject({ id: apiKey.id });
    reads.length = 0;
    for (const text of [...presented, ...presented]) await confirm(text);
    expect(reads.flatMap(({ digests, ids }) => [...digests, ...ids])).toEqual([]);
    await revokeKey(management, caller, apiKey.id);
    for (const text of presented) expect(await confirm(text)).toMatchObject({ revoked: true });
  });

  it('malformed keys cannot evict a key from the cache, and the cache stays within its limit', async () => {
    running = await startService(provider);
    const { management } = running.service;
    const { confirm, cache, reads } = roundsOverStore({ maxKeys: 2 });
    const make = async (name: string) =>
      (await createKey(management, caller, { teamId: team, name, env: 'live' })).secret;
    const [one, two, three] = [await make('One'), await make('Two'), await make('Three')];
    await confirm(one);
    await confirm(two);
    for (let i = 0; i < 50; i += 1) expect(await confirm(`unknown ${i}`)).toBeUndefined();
    const before = reads.flatMap(({ digests }) => digests).length;
    await confirm(one);
    await confirm(two);
    expect(reads.flatMap(({ digests }) => digests)).toHaveLength(before);
    // All at once they are more than the cache holds, and still each is answered.
    expect((await Promise.all([confirm(one), confirm(two), confirm(three)])).every((key) => key !== undefined)).toBe(
      true,
    );
    expect(cache.size).toBe(2);
  });
});

const key = (digest: string, more: Partial<FeedKey> = {}): FeedKey => ({
  ...plainFeedKey,
  id: 'id',
  teamId: team,
  name: 'One',
  env: 'live',
  prefix: 'p',
  digest,
  ...more,
});

/** A store that answers each read with the next of these snapshots, and the last one again and again. */
function storeOf(...snapshots: readonly Partial<StoreSnapshot>[]): KeyFeed {
  let reads = 0;
  const plain = {
    epoch: 'one',
    revision: 1,
    overflow: false,
    imports: true,
    idSecret,
    fences: null,
    leaseMs: 0,
    keys: [],
  };
  return {
    read: async () => {
      reads += 1;
      return { ...plain, ...snapshots[Math.min(reads, snapshots.length) - 1] };
    },
    close: async () => undefined,
  };
}

const foreign = 'sk-foreign';
const digests = digestsOf(foreign, ownPeppers);
/** A key that was imported under the n-th of the digests of the presented key. */
const imported = (n: number, more: Partial<FeedKey> = {}) =>
  key(digests[n] ?? '', { id: `imported ${n}`, importRevision: n, ...more });

describe('of keys that were imported with one secret', () => {
  it('the first import decides', async () => {
    const { confirm } = roundsOver(storeOf({ keys: [imported(1), imported(0, { teamId: 'another' })] }));
    expect(await confirm(foreign)).toMatchObject({ id: 'imported 0' });
  });

  it('the first import decides, though an instance of an older version has imported the same digest for another team', async () => {
    const later = imported(0, { id: 'by an old instance', teamId: 'another', importRevision: 7, revoked: true });
    const { confirm } = roundsOver(storeOf({ keys: [later, imported(0, { importRevision: -1 })] }));
    expect(await confirm(foreign)).toMatchObject({ id: 'imported 0', revoked: false });
  });

  it('of several teams before that was a rule, none decides, or a revoked one', async () => {
    const [first, second] = [
      imported(0, { importRevision: -2 }),
      imported(1, { importRevision: -1, teamId: 'another' }),
    ];
    const { confirm, reads } = roundsOver(
      storeOf({ keys: [first, second] }, { keys: [first, { ...second, revoked: true }] }),
    );
    expect(await confirm(foreign)).toBeUndefined();
    expect(await confirm(foreign)).toMatchObject({ id: 'imported 1', revoked: true });
    expect(reads.map((read) => read.digests.length)).toEqual([digests.length, digests.length]);
  });

  it('a verification on an imported key that has changed is decided on a later read', async () => {
    const revoked = imported(0, { revoked: true, revision: 2 });
    const store = storeOf(
      { keys: [imported(0)] },
      { revision: 2, keys: [imported(0, { digest: 'of a new secret', revision: 2 })] },
      { revision: 2, keys: [revoked] },
    );
    const { confirm, reads } = roundsOver(store);
    expect(await confirm(foreign)).toMatchObject({ id: 'imported 0' });
    expect(await confirm(foreign)).toMatchObject({ revoked: true });
    expect(reads.map((read) => read.digests.length)).toEqual([digests.length, 0, digests.length]);
  });
});

it('a changed row that cannot be read discards the cache instead of stopping all verifications', async () => {
  const secret = minted();
  const [digest = ''] = digestsOf(secret, ownPeppers);
  const broken = key('other', { id: 'broken', expiresAt: Number.NaN });
  const store = storeOf({ keys: [key(digest)] }, { keys: [broken] }, { overflow: true, keys: [key(digest)] });
  const { confirm, reads } = roundsOver(store);
  await confirm(secret);
  await expect(confirm(secret)).rejects.toThrow();
  expect(await confirm(secret)).toMatchObject({ id: 'id' });
  expect(reads.map(({ since }) => since)).toEqual([null, 1, null]);
});

it.each([
  ['the store does not grant', 60_000, 0],
  ['the configuration does not allow', 0, 60_000],
])('a lease that %s is not used: each verification reads the store', async (_, leaseMs, granted) => {
  const { confirm, reads, source } = roundsOver(storeOf({ leaseMs: granted }), { leaseMs });
  for (let i = 0; i < 3; i += 1) await confirm(minted());
  expect([reads.length, source.grantedMs]).toEqual([3, 0]);
});

it('a round looks up no more uncached keys than its limit, serves cached ones at once, and later rounds serve the others', async () => {
  running = await startService('sqlite');
  const { confirm, reads } = roundsOverStore({ maxMissing: 4 });
  const { secret } = await createKey(running.service.management, caller, { teamId: team, name: 'One', env: 'live' });
  await confirm(secret);
  reads.length = 0;
  const order: string[] = [];
  const unknown = Array.from({ length: 10 }, () => confirm(minted()).then(() => order.push('unknown')));
  await Promise.all([...unknown, confirm(secret).then(() => order.push('cached'))]);
  expect(reads.map((read) => read.digests.length)).toEqual([4, 4, 2]);
  expect(order.indexOf('cached')).toBe(4);
});
