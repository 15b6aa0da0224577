/** The strict promise, with any answers of the source, at any time and in any order. */
import { describe, expect, it } from 'vitest';
import { row, ScriptedRounds } from '../support/scripted-rounds.ts';

const changed = (id: string, state: string | null) => ({
  id,
  replacement: state === null ? null : { id, state },
});

describe('a confirmation round', () => {
  it('serves all requests that arrived before it started, and none that arrived later', async () => {
    const script = new ScriptedRounds();
    script.request('first', 'a');
    script.request('second', 'a');
    script.request('third', 'b');
    expect(script.reads).toEqual([]);
    await script.scheduler.turn();
    expect(script.reads).toMatchObject([{ cursor: null, keys: ['a', 'b'] }]);
    script.request('late', 'a');
    await script.answer();
    // The key is cached now, but a revocation may have been answered before the late request arrived.
    expect(script.happened()).toEqual(['first: first', 'second: first', 'third: first']);
    expect(script.reads).toMatchObject([{}, { cursor: 'one', keys: [] }]);
    await script.answer({ changes: [changed('a', 'revoked')] });
    expect(script.happened()).toEqual(['late: revoked']);
  });

  it('serves requests that arrived while it waited for its pause', async () => {
    const script = new ScriptedRounds();
    await script.confirm('a', { pauseMs: 10 });
    script.request('first', 'a');
    await script.scheduler.advance(9);
    script.request('second', 'a');
    expect(script.reads).toEqual([]);
    await script.scheduler.advance(1);
    expect(script.reads).toHaveLength(1);
    await script.answer();
    expect(script.happened()).toEqual(['first: first', 'second: first']);
    expect(script.reads).toHaveLength(1);
  });

  it('never overlaps with another one, also when callbacks throw and request more', async () => {
    const script = new ScriptedRounds();
    const fault = () => {
      script.request('a');
      throw new Error('a fault');
    };
    script.request('faulty', 'a', { decide: fault, fail: fault });
    for (let i = 0; i < 5; i += 1) {
      await script.scheduler.turn();
      script.request(`request ${i}`, 'a');
      await script.scheduler.advance(100);
      expect(script.reads).toHaveLength(i + 1);
      await script.answer();
    }
    expect(script.happened()).toHaveLength(6);
  });

  it('is awaited before any request of the last one is decided, which may arrive again', async () => {
    const script = new ScriptedRounds();
    let wasAwaited = false;
    const decide = () => {
      wasAwaited = script.scheduler.isTurnAwaited;
    };
    script.request('a', 'a', { decide });
    await script.scheduler.turn();
    script.request('b');
    script.read().answer();
    await script.scheduler.settle();
    expect(wasAwaited).toBe(true);
  });

  it('starts from the state that the last one confirmed, and reads no key that is cached', async () => {
    const script = new ScriptedRounds();
    await script.confirm('a', { cursor: 'two' });
    script.request('a');
    script.request('b');
    await script.scheduler.turn();
    expect(script.reads).toMatchObject([{ cursor: 'two', keys: ['b'] }]);
  });

  it('decides on the changes that it returns', async () => {
    const script = new ScriptedRounds();
    await script.confirm('a');
    script.request('a');
    script.request('b');
    await script.scheduler.turn();
    await script.answer({ changes: [changed('a', 'revoked'), changed('other', null)] });
    expect(script.happened()).toEqual(['a: revoked', 'b: first']);
  });

  it.each([
    ['a change removes the row', { cursor: 'two', changes: [changed('a', null)] }],
    ['the source does not know what changed', { cursor: 'of another server', clear: true }],
  ])('lets a request wait for the next one, which reads its key again, when %s', async (_, answer) => {
    const script = new ScriptedRounds();
    await script.confirm('a');
    script.request('a');
    script.request('b');
    await script.scheduler.turn();
    script.request('c');
    await script.answer(answer);
    expect(script.happened()).toEqual(['b: first']);
    // The request that waits longer comes first.
    expect(script.read()).toMatchObject({ cursor: answer.cursor, keys: ['a', 'c'] });
    await script.answer({ rows: new Map([['a', row('a', 'revoked')]]) });
    expect(script.happened()).toEqual(['a: revoked', 'c: unknown']);
  });

  it('caches the rows that it reads, but neither unknown keys nor rows that must not be cached', async () => {
    const script = new ScriptedRounds();
    for (const key of ['cached', 'unknown', 'uncertain']) script.request(key);
    await script.scheduler.turn();
    const rows = new Map([
      ['cached', row('a')],
      ['uncertain', row('b', 'first', null)],
    ]);
    await script.answer({ rows });
    expect(script.happened()).toEqual(['cached: first', 'unknown: unknown', 'uncertain: first']);
    for (const key of ['cached', 'unknown', 'uncertain']) script.request(key);
    await script.scheduler.turn();
    expect(script.read().keys).toEqual(['unknown', 'uncertain']);
  });

  const twoKeys = [{ maxKeys: 2 }, { maxBytes: 2 }];
  it.each(twoKeys)(
    'decides on all keys, also on more than the cache holds, and on one that they evict',
    async (max) => {
      const script = new ScriptedRounds(max);
      await script.confirm('cached');
      for (const key of ['cached', 'a', 'b', 'c']) script.request(key);
      await script.scheduler.turn();
      await script.answer();
      expect(script.happened()).toEqual(['cached: first', 'a: first', 'b: first', 'c: first']);
      expect(script.cache.size).toBe(2);
    },
  );

  it('serves requests that need no key', async () => {
    const script = new ScriptedRounds();
    script.request('any', null);
    await script.scheduler.turn();
    expect(script.reads).toMatchObject([{ keys: [] }]);
    await script.answer();
    expect(script.happened()).toEqual(['any: unknown']);
  });

  it('is over within the turn if the source answers synchronously, and reads what arrived meanwhile in the next turn', async () => {
    const script = new ScriptedRounds({ maxMissing: 1 });
    script.answerNow = () => ({});
    script.request('a', 'a', { decide: () => script.request('again', 'a') });
    script.request('b');
    await script.scheduler.turn();
    expect(script.happened()).toEqual([]);
    await script.scheduler.turn();
    expect(script.happened()).toEqual(['b: first', 'again: first']);
  });
});

describe('a round that fails', () => {
  it('fails its requests only, and the next one starts from the same state', async () => {
    const script = new ScriptedRounds();
    await script.confirm('a', { cursor: 'two' });
    script.request('a');
    script.request('b');
    await script.scheduler.turn();
    script.request('late', 'a');
    await script.fail('gone');
    expect(script.happened()).toEqual(['a failed: gone', 'b failed: gone']);
    expect(script.read()).toMatchObject({ cursor: 'two', keys: [] });
    await script.answer({ changes: [changed('a', 'revoked')] });
    expect(script.happened()).toEqual(['late: revoked']);
  });

  it.each([
    ['its snapshot could be applied only in part', new Error('a fault')],
    ['the source fails synchronously', null],
  ])('discards the cache and ends the lease when %s', async (_, fault) => {
    const script = new ScriptedRounds();
    await script.confirm('a', { leaseMs: 1000 });
    script.request('b');
    if (fault === null) {
      script.answerNow = () => {
        throw new Error('gone');
      };
      await script.scheduler.turn();
      script.answerNow = null;
    } else {
      await script.scheduler.turn();
      const changes = [changed('a', 'half')];
      const rows = new Map([['b', row('b')]]);
      rows.get = () => {
        throw new Error('gone');
      };
      await script.answer({ changes, rows, leaseMs: 1000 });
    }
    expect(script.happened()).toEqual(['b failed: gone']);
    expect(script.cache.size).toBe(0);
    script.request('a');
    await script.scheduler.turn();
    expect(script.read()).toMatchObject({ cursor: null, keys: ['a'] });
  });

  it('is followed after a pause, so that a source that is down is not read in a loop', async () => {
    const script = new ScriptedRounds({ retryPauseMs: 50 });
    script.request('a');
    await script.scheduler.turn();
    script.request('b');
    await script.fail('gone');
    await script.scheduler.advance(49);
    expect(script.reads).toHaveLength(1);
    await script.scheduler.advance(1);
    expect(script.reads).toHaveLength(2);
    await script.answer();
    script.request('c');
    await script.scheduler.turn();
    expect(script.reads).toHaveLength(3);
  });

  it('lets its requests wait, before all others, when the source is busy', async () => {
    const script = new ScriptedRounds({ timeoutMs: 100 });
    script.request('a');
    await script.scheduler.turn();
    script.request('b');
    await script.fail('busy');
    expect(script.happened()).toEqual([]);
    expect(script.read().keys).toEqual(['a', 'b']);
    await script.answer();
    expect(script.happened()).toEqual(['a: first', 'b: first']);
  });
});

describe('the pause between rounds', () => {
  it('counts from the start of the last round', async () => {
    const script = new ScriptedRounds();
    script.request('a');
    await script.scheduler.turn();
    await script.scheduler.advance(30);
    await script.answer({ pauseMs: 100 });
    script.request('a');
    await script.scheduler.advance(69);
    expect(script.reads).toHaveLength(1);
    await script.scheduler.advance(1);
    expect(script.reads).toHaveLength(2);
  });

  it('is that of the last answer, and none after it', async () => {
    const script = new ScriptedRounds();
    await script.confirm('a', { pauseMs: 100 });
    script.request('a');
    await script.scheduler.advance(100);
    await script.answer({ pauseMs: 0 });
    script.request('a');
    await script.scheduler.turn();
    expect(script.reads).toHaveLength(2);
  });
});

describe('the limit of look-ups', () => {
  it('lets further keys wait for rounds that follow without a pause, and serves cached keys at once', async () => {
    const script = new ScriptedRounds({ maxMissing: 2 });
    await script.confirm('cached', { pauseMs: 1000 });
    await script.scheduler.advance(1000);
    for (const key of ['a', 'b', 'c', 'a', 'd', 'cached', 'e']) script.request(key);
    await script.scheduler.turn();
    await script.answer({ pauseMs: 1000 });
    expect(script.happened()).toEqual(['a: first', 'b: first', 'a: first', 'cached: first']);
    await script.answer({ pauseMs: 1000 });
    expect(script.happened()).toEqual(['c: first', 'd: first']);
    await script.answer({ pauseMs: 1000 });
    expect(script.happened()).toEqual(['e: first']);
    expect(script.reads.map(({ keys }) => keys)).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
    script.request('f');
    await script.scheduler.turn();
    expect(script.reads).toHaveLength(3);
  });

  it('lets no key wait behind cached ones that change in every round and are requested again', async () => {
    const script = new ScriptedRounds({ maxMissing: 2 });
    const busy = ['p', 'q', 'r', 's'];
    for (const key of busy) script.request(key);
    await script.scheduler.turn();
    await script.answer();
    await script.answer();
    for (const key of ['a', 'b', 'c', ...busy]) script.request(key);
    await script.scheduler.turn();
    for (let i = 0; i < 2; i += 1) {
      await script.answer({ changes: busy.map((key) => changed(key, null)) });
      for (const key of busy) script.request(key);
    }
    expect(script.happened()).toEqual(expect.arrayContaining(['a: first', 'b: first', 'c: first']));
  });

  it('lets a key that changed during a round not wait behind unknown ones that arrived during it', async () => {
    const script = new ScriptedRounds({ maxMissing: 2 });
    await script.confirm('a', { leaseMs: 1000 });
    script.request('fresh', 'a', { fresh: true });
    await script.scheduler.turn();
    for (const key of ['p', 'q', 'r', 's']) script.request(key);
    await script.scheduler.turn();
    await script.answer({ leaseMs: 1000, changes: [changed('a', null)] });
    expect(script.read().keys).toEqual(['a', 'p']);
  });

  it('looks up the keys of a round that found the source busy before the keys that the round left', async () => {
    const script = new ScriptedRounds({ maxMissing: 1 });
    for (const key of ['a', 'b']) script.request(key);
    await script.scheduler.turn();
    await script.fail('busy');
    expect(script.reads.map(({ keys }) => keys)).toEqual([['a'], ['a']]);
  });

  it('does not shorten the pause after a failure', async () => {
    const script = new ScriptedRounds({ maxMissing: 1, retryPauseMs: 50 });
    script.request('a');
    script.request('b');
    await script.scheduler.turn();
    await script.fail('gone');
    expect(script.reads).toHaveLength(1);
    await script.scheduler.advance(50);
    expect(script.read().keys).toEqual(['b']);
  });
});

describe('a lease', () => {
  it('serves cached keys without a round, until it has run out since the start of the round', async () => {
    const script = new ScriptedRounds();
    script.request('a');
    await script.scheduler.turn();
    await script.scheduler.advance(30);
    await script.answer({ leaseMs: 100 });
    await script.scheduler.advance(69);
    script.request('cached', 'a');
    script.request('any', null);
    await script.scheduler.turn();
    expect(script.happened()).toEqual(['a: first', 'cached: first', 'any: unknown']);
    expect(script.reads).toHaveLength(1);
    await script.scheduler.advance(1);
    script.request('after', 'a');
    await script.scheduler.turn();
    expect(script.happened()).toEqual([]);
    expect(script.reads).toHaveLength(2);
    // An answer without a lease grants none.
    await script.answer();
    script.request('later', 'a');
    await script.scheduler.turn();
    expect(script.reads).toHaveLength(3);
  });

  it('that has run out before the answer serves nobody', async () => {
    const script = new ScriptedRounds();
    script.request('a');
    await script.scheduler.turn();
    await script.scheduler.advance(100);
    await script.answer({ leaseMs: 100 });
    script.request('a');
    await script.scheduler.turn();
    expect(script.reads).toHaveLength(2);
  });

  it('serves neither keys that are not cached nor requests that need a new round', async () => {
    const script = new ScriptedRounds();
    await script.confirm('a', { leaseMs: 1000 });
    script.request('b');
    script.request('fresh', 'a', { fresh: true });
    script.request('cached', 'a');
    await script.scheduler.turn();
    expect(script.happened()).toEqual(['cached: first']);
    // A round is under way, for which cached keys do not wait.
    script.request('cached', 'a');
    await script.scheduler.turn();
    expect(script.happened()).toEqual(['cached: first']);
    await script.answer();
    expect(script.happened()).toEqual(['b: first', 'fresh: first']);
    expect(script.reads).toHaveLength(1);
  });

  it('serves those that arrived before its answer, also if they waited for another round', async () => {
    const script = new ScriptedRounds();
    await script.confirm('a', { leaseMs: 50 });
    script.request('b');
    await script.scheduler.turn();
    script.request('again', 'b');
    await script.scheduler.turn();
    await script.answer({ leaseMs: 100 });
    expect(script.happened()).toEqual(['b: first', 'again: first']);
    expect(script.reads).toHaveLength(1);
  });

  it('does not serve a request whose row a later round removed', async () => {
    const script = new ScriptedRounds();
    await script.confirm('a', { leaseMs: 1000 });
    script.request('b');
    await script.scheduler.turn();
    await script.answer({ leaseMs: 1000, changes: [changed('a', null)] });
    script.request('a');
    await script.scheduler.turn();
    expect(script.read().keys).toEqual(['a']);
    expect(script.happened()).toEqual(['b: first']);
  });

  it('ends when it has run out, although later rounds failed', async () => {
    const script = new ScriptedRounds();
    await script.confirm('a', { leaseMs: 100 });
    script.request('b');
    await script.scheduler.advance(99);
    await script.fail('gone');
    script.request('a');
    await script.scheduler.turn();
    expect(script.happened()).toEqual(['b failed: gone', 'a: first']);
    await script.scheduler.advance(1);
    script.request('a');
    await script.scheduler.turn();
    expect(script.happened()).toEqual([]);
    expect(script.reads).toHaveLength(2);
  });

  it('does not replace the round that shows whether the source answers', async () => {
    const script = new ScriptedRounds();
    await script.confirm('a', { leaseMs: 1000 });
    const [ping, failing] = [script.rounds.ping(), script.rounds.ping()];
    await script.scheduler.turn();
    await script.answer();
    await ping;
    await failing;
    const failed = script.rounds.ping();
    await script.scheduler.turn();
    script.read().fail('gone');
    await expect(failed).rejects.toBe('gone');
  });
});

describe('the renewal of a lease', () => {
  /** A round that took 20 ms, and whose lease of 100 ms has 80 ms left. */
  async function leased(): Promise<ScriptedRounds> {
    const script = new ScriptedRounds();
    script.request('a');
    await script.scheduler.turn();
    await script.scheduler.advance(20);
    await script.answer({ leaseMs: 100 });
    script.events.length = 0;
    script.reads.length = 0;
    return script;
  }

  async function use(script: ScriptedRounds, name = 'a'): Promise<void> {
    script.request(name, 'a');
    await script.scheduler.turn();
  }

  it('starts so early that its answer should arrive before the lease ends, and no request waits', async () => {
    const script = await leased();
    await use(script, 'early');
    await script.scheduler.advance(54);
    expect(script.reads).toEqual([]);
    // 100 ms without the 20 of the slowest round and the margin of 5.
    await script.scheduler.advance(1);
    expect(script.reads).toMatchObject([{ cursor: 'one', keys: [] }]);
    await use(script, 'meanwhile');
    await script.scheduler.advance(20);
    await script.answer({ leaseMs: 100 });
    await script.scheduler.advance(10);
    await use(script, 'later');
    expect(script.happened()).toEqual(['early: first', 'meanwhile: first', 'later: first']);
    expect(script.reads).toHaveLength(1);
  });

  it('grants a lease from its own start, not from the end of the last one', async () => {
    const script = await leased();
    await use(script);
    await script.scheduler.advance(55);
    await script.answer({ leaseMs: 100, changes: [changed('a', 'second')] });
    await script.scheduler.advance(99);
    await use(script, 'leased');
    await script.scheduler.advance(1);
    await use(script, 'after');
    expect(script.happened()).toEqual(['a: first', 'leased: second']);
  });

  it('does not happen if the lease served no request', async () => {
    const script = await leased();
    await script.scheduler.advance(10_000);
    expect(script.reads).toEqual([]);
    await use(script);
    await script.answer({ leaseMs: 100 });
    await use(script);
    await script.scheduler.advance(10_000);
    // The last lease was used, and the one that renewed it was not.
    await script.answer({ leaseMs: 100 });
    await script.scheduler.advance(10_000);
    expect(script.reads).toHaveLength(2);
  });

  it('is left to a round that runs or has run since then', async () => {
    const script = await leased();
    await use(script);
    await script.scheduler.advance(50);
    script.request('b');
    await script.scheduler.advance(20);
    expect(script.reads).toMatchObject([{ keys: ['b'] }]);
    await script.answer({ leaseMs: 100 });
    await script.scheduler.advance(50);
    expect(script.reads).toHaveLength(1);
  });

  it('does not happen if the lease is not longer than two rounds', async () => {
    const script = new ScriptedRounds();
    script.request('a');
    await script.scheduler.turn();
    await script.scheduler.advance(20);
    await script.answer({ leaseMs: 45 });
    await use(script);
    await script.scheduler.advance(10_000);
    expect(script.reads).toHaveLength(1);
  });

  it('starts at once after a slow round, which does not end renewals', async () => {
    const script = await leased();
    await use(script);
    await script.scheduler.advance(55);
    await script.scheduler.advance(60);
    await script.answer({ leaseMs: 100 });
    await use(script);
    await script.scheduler.advance(1);
    expect(script.reads).toHaveLength(2);
  });

  it('shortens nothing when it fails, and is tried once', async () => {
    const script = await leased();
    await use(script);
    await script.scheduler.advance(55);
    await script.fail('gone');
    await script.scheduler.advance(24);
    await use(script, 'leased');
    expect(script.happened()).toEqual(['a: first', 'leased: first']);
    expect(script.reads).toHaveLength(1);
    await script.scheduler.advance(1);
    await use(script, 'after');
    expect(script.happened()).toEqual([]);
    expect(script.reads).toHaveLength(2);
  });

  it('serves those that wait for it when it is late, as its own lease does', async () => {
    const script = await leased();
    await use(script, 'early');
    await script.scheduler.advance(80);
    await use(script, 'waiting');
    expect(script.happened()).toEqual(['early: first']);
    await script.answer({ leaseMs: 100, changes: [changed('a', 'second')] });
    expect(script.happened()).toEqual(['waiting: second']);
    expect(script.reads).toHaveLength(1);
  });

  it('starts as early as the slowest of the last 16 rounds needs', async () => {
    const script = await leased();
    for (let i = 0; i < 15; i += 1) {
      script.request(`key ${i}`);
      await script.scheduler.turn();
      await script.answer({ leaseMs: 100 });
    }
    await use(script);
    await script.scheduler.advance(75);
    expect(script.reads).toHaveLength(16);
    await script.answer({ leaseMs: 100 });
    // The round of 20 ms is forgotten.
    await use(script);
    await script.scheduler.advance(94);
    expect(script.reads).toHaveLength(16);
    await script.scheduler.advance(1);
    expect(script.reads).toHaveLength(17);
  });
});

describe('the timeout', () => {
  it('fails each request at its own time, in whatever order they wait, and decides none of them later', async () => {
    const script = new ScriptedRounds({ timeoutMs: 1000, maxMissing: 1 });
    const arrivedAgo = (ms: number) => ({ arrivedAt: script.scheduler.now() - ms });
    await script.scheduler.advance(1000);
    script.request('second', 'second', arrivedAgo(800));
    script.request('first', 'first', arrivedAgo(950));
    await script.scheduler.turn();
    script.request('last');
    await script.scheduler.advance(200);
    expect(script.happened()).toEqual(['second failed: too late', 'first failed: too late']);
    await script.scheduler.advance(799);
    expect(script.happened()).toEqual([]);
    await script.scheduler.advance(1);
    expect(script.happened()).toEqual(['last failed: too late']);
    await script.answer();
    expect(script.happened()).toEqual([]);
    // What the late answer has confirmed is used.
    expect(script.reads).toHaveLength(1);
    script.request('second');
    await script.scheduler.turn();
    expect(script.read()).toMatchObject({ cursor: 'one', keys: [] });
  });

  it('fails requests that wait for the pause, after which there is no round', async () => {
    const script = new ScriptedRounds({ timeoutMs: 100 });
    await script.confirm('a', { pauseMs: 5000 });
    script.request('a');
    await script.scheduler.turn();
    await script.scheduler.advance(5000);
    expect(script.happened()).toEqual(['a failed: too late']);
    expect(script.reads).toEqual([]);
    script.request('b');
    await script.scheduler.turn();
    expect(script.read().keys).toEqual(['b']);
  });

  it('needs one timer for all requests, and none when nothing waits or when nothing has a timeout', async () => {
    const script = new ScriptedRounds({ timeoutMs: 100 });
    for (let i = 0; i < 10; i += 1) await script.confirm('a');
    expect(script.scheduler.timers).toBe(1);
    await script.scheduler.advance(100);
    script.rounds.confirm({ secret: 'a', cacheKey: 'a', decide: () => undefined, fail: () => undefined });
    expect(script.scheduler.timers).toBe(0);
    const without = new ScriptedRounds();
    await without.confirm('a');
    expect(without.scheduler.timers).toBe(0);
  });
});

describe('closing', () => {
  it('fails all requests, wherever they wait, and those that arrive later', async () => {
    const script = new ScriptedRounds({ maxMissing: 1 });
    await script.confirm('cached', { leaseMs: 1000 });
    script.request('confirming');
    script.request('waiting');
    await script.scheduler.turn();
    script.request('arrived');
    script.rounds.close('closed');
    expect(script.happened()).toEqual(['confirming', 'waiting', 'arrived'].map((name) => `${name} failed: closed`));
    script.request('cached');
    expect(script.happened()).toEqual(['cached failed: closed']);
    await script.answer();
    await script.scheduler.advance(10_000);
    expect(script.happened()).toEqual([]);
    expect(script.reads).toHaveLength(1);
  });

  it('leaves no round that waits for its pause', async () => {
    const script = new ScriptedRounds();
    await script.confirm('a', { pauseMs: 100 });
    script.request('a');
    await script.scheduler.turn();
    script.rounds.close('closed');
    await script.scheduler.advance(100);
    expect([script.happened(), script.reads]).toEqual([['a failed: closed'], []]);
  });
});

it('an error in one callback does not affect the other requests', async () => {
  const script = new ScriptedRounds();
  const wrong = () => {
    throw new Error('wrong');
  };
  script.request('a', 'a', { decide: wrong });
  script.request('b', 'b', { decide: wrong, fail: wrong });
  script.request('c', 'c', { fail: wrong });
  await script.scheduler.turn();
  await script.answer();
  expect(script.happened()).toEqual(['a failed: wrong', 'c: first']);
  script.request('d', 'd', { fail: wrong });
  script.request('e');
  await script.scheduler.turn();
  await script.fail('gone');
  expect(script.happened()).toEqual(['e failed: gone']);
});

it('counts rounds, the keys that were cached, and the requests that a round or a lease serves', async () => {
  const script = new ScriptedRounds({ maxMissing: 1 });
  await script.confirm('a');
  await script.scheduler.advance(10);
  for (const key of ['a', 'b', 'b', 'c', null]) script.request('any', key);
  await script.scheduler.turn();
  await script.answer({ leaseMs: 100, changes: [changed('a', null)] });
  await script.fail('gone');
  script.request('b');
  script.request('b');
  await script.scheduler.turn();
  await script.answer({ leaseMs: 100 });
  script.request('b');
  await script.scheduler.turn();
  expect(script.counted).toEqual([
    'started with 1 hits, 2 misses',
    'confirmed at 10 for 3',
    'started with 0 hits, 1 misses',
    'failed',
    'started with 0 hits, 1 misses',
    'leased at 10 for 2',
    'confirmed at 10 for 1',
    'leased at 10 for 1',
  ]);
});
