/** The strict promise under random schedules: changes, requests, slow, failing and reordered reads, leases and pauses. */
import { expect, it } from 'vitest';
import { ConfirmationRounds } from '../../src/engine/confirmation-rounds.ts';
import { KeyCache } from '../../src/engine/key-cache.ts';
import type { MissingKeys, Row, Snapshot } from '../../src/engine/state-source.ts';
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

  rowOf(key: string): Row<Key> {
    return { match: { id: key, revision: this.#changedAt.get(key) ?? 0 }, dependencies: key };
  }

  /** The last change of a key that was answered by then. */
  answeredBy(key: string, time: number): number {
    return this.#commits.findLast((commit) => commit.key === key && commit.answeredAt <= time)?.revision ?? 0;
  }

  changesSince(revision: number, isReplacing: boolean) {
    const keys = new Set(this.#commits.filter((commit) => commit.revision > revision).map(({ key }) => key));
    return [...keys].map((key) => ({ names: [key], replacement: isReplacing ? this.rowOf(key).match : null }));
  }
}

it.each(Array.from({ length: 300 }, (_, seed) => seed))(
  'no verdict is older than its request, in schedule %i',
  async (seed) => {
    const random = randomOf(seed);
    const [store, scheduler] = [new Store(), new ManualScheduler()];
    const [isReplacing, isNewer, hasTimeout] = [random(2) === 0, random(3) === 0, random(2) === 0];
    const [leaseMs, pauseMs] = [random(2) * random(30), random(2) * random(20)];
    const cache = new KeyCache<Key>({
      maxKeys: 1 + random(8),
      bytesOf: () => 1,
      idOf: ({ id }) => id,
      isSameSecret: () => true,
    });
    const snapshot = (cursor: number | null, missing: MissingKeys): Snapshot<number, Key> => ({
      cursor: store.revision,
      clear: cursor === null || random(20) === 0,
      changes: store.changesSince(cursor ?? 0, isReplacing),
      rows: new Map([...missing.keys()].map((key) => [key, store.rowOf(key)])),
      leaseMs,
      pauseMs,
    });
    const rounds = new ConfirmationRounds<number, Key, Snapshot<number, Key>>({
      source: {
        read: (cursor, missing) => {
          if (random(30) === 0) throw new Error('gone');
          if (random(4) === 0) return snapshot(cursor, missing);
          const [readAfter, answerAfter] = [random(10), random(10)];
          return new Promise((resolve, reject) => {
            scheduler.after(readAfter, () => {
              const read = snapshot(cursor, missing);
              scheduler.after(answerAfter, () => {
                if (random(15) === 0) reject(new Error('gone'));
                // As at an edge, rows may be newer than the state.
                else resolve(isNewer ? { ...read, rows: snapshot(cursor, missing).rows } : read);
              });
            });
          });
        },
        snapshotOf: (answer) => answer,
      },
      cache,
      scheduler,
      maxMissing: 1 + random(3),
      ...(hasTimeout && { timeout: { ms: 40, error: () => new Error('too late') } }),
    });
    let [requests, decided, failed] = [0, 0, 0];
    for (let step = 0; step < 60; step += 1) {
      const key = `key ${random(8)}`;
      if (random(3) === 0) store.change(key, scheduler.now() + leaseMs);
      else {
        const arrivedAt = scheduler.now();
        requests += 1;
        rounds.confirm({
          secret: key,
          cacheKey: key,
          arrivedAt,
          decide: (match) => {
            decided += 1;
            expect(match?.revision).toBeGreaterThanOrEqual(store.answeredBy(key, arrivedAt));
          },
          fail: (error) => {
            failed += 1;
            // Not the error of an expectation.
            expect(String(error)).toMatch(/gone|too late/);
          },
        });
      }
      if (random(2) === 0) await scheduler.advance(random(8));
    }
    while (scheduler.isTurnAwaited || scheduler.timers > 0) await scheduler.advance(100);
    expect(decided + failed).toBe(requests);
  },
);
