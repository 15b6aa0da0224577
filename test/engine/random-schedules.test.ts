/** The strict promise under random schedules: changes, requests, slow, failing and reordered reads, leases and pauses. */
import { expect, it } from 'vitest';
import { ConfirmationRounds } from '../../src/engine/confirmation-rounds.ts';
import { KeyCache } from '../../src/engine/key-cache.ts';
import type { CacheRow, MissingKeys, Snapshot } from '../../src/engine/state-source.ts';
import { ManualScheduler } from '../support/manual-scheduler.ts';

interface Key {
  readonly id: string;
  /** The revision of its last change. */
  readonly revision: number;
}

/** A small generator of random numbers (mulberry32), so that a schedule can be repeated. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** A store with eight keys. A change is answered `leaseMs` after its commit. */
class Store {
  revision = 0;
  readonly #changedAt = new Map<string, number>();
  /** The commits, the last one at the end. */
  readonly #commits: { readonly key: string; readonly revision: number; readonly answeredAt: number }[] = [];

  change(key: string, answeredAt: number): void {
    this.revision += 1;
    this.#changedAt.set(key, this.revision);
    this.#commits.push({ key, revision: this.revision, answeredAt });
  }

  rowOf(key: string): CacheRow<Key> {
    return { match: { id: key, revision: this.#changedAt.get(key) ?? 0 }, onChange: 'replace' };
  }

  /** The last change of a key that was answered by then. */
  answeredBy(key: string, time: number): number {
    return this.#commits.findLast((commit) => commit.key === key && commit.answeredAt <= time)?.revision ?? 0;
  }

  changesSince(revision: number, isReplacing: boolean) {
    const keys = new Set(this.#commits.filter((commit) => commit.revision > revision).map(({ key }) => key));
    return [...keys].map((key) => ({ id: key, replacement: isReplacing ? this.rowOf(key).match : null }));
  }
}

/** Returns what is wrong with the verdicts of one schedule. */
async function violationsIn(seed: number): Promise<readonly string[]> {
  const random = randomOf(seed);
  const [store, scheduler] = [new Store(), new ManualScheduler()];
  const [isReplacing, hasNewerRows, hasTimeout] = [random(2) === 0, random(3) === 0, random(2) === 0];
  const [leaseMs, pauseMs] = [random(2) * random(30), random(2) * random(20)];
  const violations: string[] = [];
  const snapshot = (cursor: number | null, missing: MissingKeys): Snapshot<number, Key> => {
    const clear = cursor === null || random(20) === 0;
    return {
      cursor: store.revision,
      clear,
      // A source that clears the cache need not name what changed.
      changes: clear ? [] : store.changesSince(cursor ?? 0, isReplacing),
      rows: new Map([...missing.keys()].map((key) => [key, store.rowOf(key)])),
      leaseMs,
      pauseMs,
    };
  };
  let isReading = false;
  const readSlowly = (cursor: number | null, missing: MissingKeys) =>
    new Promise<Snapshot<number, Key>>((resolve, reject) => {
      isReading = true;
      const [readAfterMs, answerAfterMs] = [random(10), random(10)];
      scheduler.after(readAfterMs, () => {
        const read = snapshot(cursor, missing);
        scheduler.after(answerAfterMs, () => {
          isReading = false;
          if (random(15) === 0) reject(new Error('gone'));
          // As at an edge, rows may be newer than the state.
          else resolve(hasNewerRows ? { ...read, rows: snapshot(cursor, missing).rows } : read);
        });
      });
    });
  const rounds = new ConfirmationRounds<number, Key, Snapshot<number, Key>>({
    source: {
      read: (cursor, missing) => {
        if (isReading) violations.push('two rounds overlap');
        if (random(30) === 0) throw new Error('gone');
        return random(4) === 0 ? snapshot(cursor, missing) : readSlowly(cursor, missing);
      },
      snapshotOf: (answer) => answer,
    },
    cache: new KeyCache({ maxKeys: 1 + random(8), bytesOf: () => 1, idOf: ({ id }) => id, isSameSecret: () => true }),
    scheduler,
    maxMissing: 1 + random(3),
    ...(hasTimeout && { timeout: { ms: 40, error: () => 'too late' } }),
  });
  let [requests, answered] = [0, 0];
  for (let step = 0; step < 60; step += 1) {
    const [key, arrivedAt] = [`key ${random(8)}`, scheduler.now()];
    if (random(3) === 0) store.change(key, arrivedAt + leaseMs);
    else {
      requests += 1;
      const decide = (match: Key | undefined) => {
        answered += 1;
        if (match === undefined || match.revision < store.answeredBy(key, arrivedAt)) violations.push(`stale ${key}`);
      };
      const fail = () => {
        answered += 1;
      };
      const fresh = random(5) === 0 ? { fresh: true as const } : {};
      rounds.confirm({ secret: key, cacheKey: key, arrivedAt, decide, fail, ...fresh });
    }
    if (random(2) === 0) await scheduler.advance(random(8));
  }
  while (scheduler.isTurnAwaited || scheduler.timers > 0) await scheduler.advance(100);
  if (answered !== requests) violations.push(`${answered} of ${requests} requests were answered`);
  return violations;
}

it('no verdict is older than its request, rounds never overlap, and every request is answered once', async () => {
  for (let seed = 0; seed < 500; seed += 1) {
    expect(await violationsIn(seed), `schedule ${seed}`).toEqual([]);
  }
});
