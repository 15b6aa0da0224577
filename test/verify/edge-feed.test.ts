/** What edges are answered, with any answers of the store. */
import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { keyRing } from '../../src/domain/secret/key-ring.ts';
import { mintSecret } from '../../src/domain/secret/secret.ts';
import { digestSecret } from '../../src/domain/secret/secret-digest.ts';
import type { FeedKey, KeyFeed, StoreSnapshot } from '../../src/store/feed/key-feed.ts';
import { openDataPlane } from '../../src/verify/data-plane.ts';
import { EdgeCount } from '../../src/verify/edge-count.ts';
import type { FeedAnswer } from '../../src/wire/feed-messages.ts';
import { idSecret, plainFeedKey } from '../support/plain-keys.ts';

const peppers = keyRing([{ id: 'p', bytes: randomBytes(32) }]);
const secret = mintSecret('lk', 'live', randomBytes).secret;
const key = (revision: number, revoked = false): FeedKey => ({
  ...plainFeedKey,
  id: 'the key',
  teamId: 'team',
  name: 'A key',
  env: 'live',
  prefix: 'p',
  digest: digestSecret(secret, peppers.current),
  revision,
  revoked,
});

interface Read {
  readonly since: number | null;
  readonly resolve: (snapshot: Partial<StoreSnapshot>) => void;
  readonly reject: (error: unknown) => void;
}

/** An edge feed over a store whose answers the test gives. */
function opened(leaseMs = 0) {
  const reads: Read[] = [];
  const plain = {
    epoch: 'one',
    revision: 1,
    overflow: false,
    imports: false,
    idSecret,
    fences: null,
    leaseMs,
    keys: [],
  };
  const feed: KeyFeed = {
    read: (since) =>
      new Promise((resolve, reject) => {
        reads.push({ since, resolve: (snapshot) => resolve({ ...plain, ...snapshot }), reject });
      }),
    close: async () => undefined,
  };
  const unused = async () => expect.fail('it is not used');
  const nonces = { claim: unused, has: unused, purge: unused, close: async () => undefined };
  const controlPlane = { addUsage: unused, addSources: unused, addRates: unused, addTrips: unused };
  const rings = { peppers, signingKeks: peppers };
  const limits = { cacheKeys: 10, cacheBytes: 1_000_000, unknownKeysPerMinute: 100, dnsServers: [], remote: false };
  const plane = openDataPlane({ feed, nonces, controlPlane, ...rings, ...limits, leaseMs, report: () => undefined });
  onTestFinished(() => plane.close());
  const ask = async (cursor: string | null, ...keys: string[]): Promise<FeedAnswer> =>
    JSON.parse(await plane.feed.handle({ edge: randomUUID(), cursor, keys }));
  const read = async (index: number): Promise<Read> => {
    await expect.poll(() => reads.length, { interval: 1 }).toBeGreaterThan(index);
    return reads[index] ?? expect.fail('there is no such read');
  };
  return { reads, read, ask };
}

describe('an edge feed', () => {
  it('reads the store once for all requests that wait, and again for one that arrives meanwhile', async () => {
    const { reads, read, ask } = opened();
    const questions = Array.from({ length: 50 }, () => ask(null, secret));
    const first = await read(0);
    const late = ask(null, secret);
    first.resolve({ revision: 5, overflow: true, keys: [key(5)] });
    const answers = await Promise.all(questions);
    expect(answers.map(({ keys: [row] }) => row)).toEqual(Array(50).fill(expect.objectContaining({ revoked: false })));
    (await read(1)).resolve({ revision: 6, keys: [key(6, true)] });
    expect((await late).keys).toMatchObject([{ revoked: true }]);
    expect(reads).toHaveLength(2);
  });

  it('gives the cursor of the oldest state that a row is based on', async () => {
    const { read, ask } = opened();
    const start = ask(null);
    (await read(0)).resolve({ revision: 5, overflow: true });
    const { cursor } = await start;
    // The looked-up text is in a foreign format, and becomes a key when the store is read again.
    const question = ask(cursor, 'a-foreign-key');
    (await read(1)).resolve({ revision: 6, keys: [key(6)], imports: true });
    (await read(2)).resolve({ revision: 7, keys: [key(7)], imports: true });
    const answer = await question;
    expect(answer).toMatchObject({
      cursor: cursor.replace(/5$/, '6'),
      changed: ['the key'],
      keys: [{ code: 'MALFORMED' }],
    });
    const next = ask(answer.cursor);
    (await read(3)).resolve({ revision: 7, imports: true });
    expect(await next).toMatchObject({ changed: ['the key'], clear: false });
  });

  it('reads the store for each request also during a lease, which it grants', async () => {
    const { reads, read, ask } = opened(60_000);
    for (const revision of [5, 6, 7]) {
      const question = ask(null);
      (await read(revision - 5)).resolve({ revision, overflow: revision === 5 });
      expect(await question).toMatchObject({ leaseMs: 60_000 });
    }
    expect(reads).toHaveLength(3);
  });

  it('answers with no row that is older than its cursor, also on a key that is cached within a lease', async () => {
    const { read, ask } = opened(60_000);
    const first = ask(null, secret);
    (await read(0)).resolve({ revision: 5, overflow: true, keys: [key(5)] });
    const { cursor } = await first;
    const question = ask(cursor, secret);
    (await read(1)).resolve({ revision: 6, keys: [key(6, true)] });
    expect(await question).toMatchObject({ cursor: cursor.replace(/5$/, '6'), keys: [{ revoked: true }] });
  });

  it('fails a request when the store does not answer', async () => {
    const { read, ask } = opened();
    const question = ask(null, secret, 'x y').catch((error: unknown) => error);
    (await read(0)).reject(new Error('gone'));
    expect(await question).toEqual(new Error('gone'));
  });
});

describe('the pause between the requests of an edge', () => {
  const add = (edges: EdgeCount, count: number, now: number) => {
    for (let i = 0; i < count; i += 1) edges.add(`edge ${i}`, now);
  };

  it('grows with the number of edges that sent requests in the last seconds', () => {
    const edges = new EdgeCount();
    add(edges, 2, 0);
    expect([edges.size(0), edges.pauseMs(0)]).toEqual([2, 0]);
    add(edges, 500, 1000);
    expect([edges.size(1000), edges.pauseMs(1000)]).toEqual([500, 250]);
    add(edges, 100, 12_000);
    expect(edges.pauseMs(12_000)).toBe(250);
    add(edges, 100, 23_000);
    expect(edges.pauseMs(24_000)).toBe(50);
    add(edges, 1, 60_000);
    expect(edges.pauseMs(60_000)).toBe(0);
    // Also when no edge sends requests anymore.
    expect([79_999, 80_000].map((now) => edges.size(now))).toEqual([1, 0]);
  });

  it('lets all edges send requests together, each once in an interval, whenever they sent the last one', () => {
    const edges = new EdgeCount();
    add(edges, 100, 0);
    const nextAt = (now: number) => now + edges.pauseMs(now);
    expect([1000, 1001, 1024, 1025].map(nextAt)).toEqual([1050, 1050, 1050, 1050]);
    // Half an interval at least: neither late nor early timers make an edge ask twice.
    expect([1026, 1049, 1050.4].map(nextAt).map(Math.round)).toEqual([1100, 1100, 1100]);
  });

  it('is at most 250 ms, however many edges a client invents', () => {
    const edges = new EdgeCount();
    for (let i = 0; i < 2000; i += 1) edges.add(randomUUID(), 0);
    expect(edges.size(0)).toBe(500);
    for (let now = 0; now < 500; now += 1) expect(edges.pauseMs(now)).toBeLessThanOrEqual(250);
  });
});
