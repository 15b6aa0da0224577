/** The engine of the strict promise over a source whose answers a test gives, on a scheduler that it controls. */
import { expect } from 'vitest';
import { ConfirmationRounds, type RoundObserver, type Waiter } from '../../src/engine/confirmation-rounds.ts';
import { KeyCache } from '../../src/engine/key-cache.ts';
import type { CacheRow, MissingKeys, Snapshot } from '../../src/engine/state-source.ts';
import { ManualScheduler } from './manual-scheduler.ts';

/** A key as it was at some time. */
export interface Key {
  readonly id: string;
  readonly state: string;
}

type Answer = Partial<Snapshot<string, Key>>;

export interface Read {
  readonly cursor: string | null;
  /** The requested keys. */
  readonly keys: readonly string[];
  answer(more?: Answer): void;
  fail(error: unknown): void;
}

export const row = (id: string, state = 'first', onChange: CacheRow<Key>['onChange'] = 'replace'): CacheRow<Key> => ({
  match: { id, state },
  onChange,
});

interface ScriptOptions {
  readonly maxKeys?: number;
  readonly maxBytes?: number;
  readonly maxMissing?: number;
  readonly timeoutMs?: number;
  readonly retryPauseMs?: number;
}

export class ScriptedRounds {
  readonly scheduler = new ManualScheduler();
  readonly reads: Read[] = [];
  /** What happened, such as `a: first`, `a: unknown` and `a failed: gone`. */
  readonly events: string[] = [];
  readonly counted: string[] = [];
  readonly cache: KeyCache<Key>;
  readonly rounds: ConfirmationRounds<string, Key, Answer>;
  /** Answers reads at once, while it is set. */
  answerNow: ((read: Pick<Read, 'cursor' | 'keys'>) => Answer) | null = null;

  constructor(options: ScriptOptions = {}) {
    const { maxKeys = 100, maxBytes = 100, maxMissing = 100, timeoutMs, retryPauseMs = 0 } = options;
    this.cache = new KeyCache({ maxKeys, maxBytes, bytesOf: () => 1, idOf: ({ id }) => id, isSameSecret: () => true });
    const observer: RoundObserver = {
      roundStarted: (hits, misses) => this.counted.push(`started with ${hits} hits, ${misses} misses`),
      roundConfirmed: (startedAt, served) => this.counted.push(`confirmed at ${startedAt} for ${served}`),
      roundFailed: () => this.counted.push('failed'),
      leaseUsed: (startedAt, served) => this.counted.push(`leased at ${startedAt} for ${served}`),
    };
    this.rounds = new ConfirmationRounds({
      source: {
        read: (cursor, missing) => this.#read(cursor, missing),
        snapshotOf: (answer, cursor, missing) => {
          const rows = new Map([...missing.keys()].map((key) => [key, row(key)]));
          const quiet = { cursor: cursor ?? 'one', clear: false, changes: [], leaseMs: 0, pauseMs: 0 };
          return { ...quiet, rows, ...answer };
        },
        isBusy: (error) => error === 'busy',
      },
      cache: this.cache,
      scheduler: this.scheduler,
      observer,
      maxMissing,
      retryPauseMs,
      ...(timeoutMs !== undefined && { timeout: { ms: timeoutMs, error: () => 'too late' } }),
    });
  }

  /** Requests a key, of which the secret and the cache key are the same text. */
  request(name: string, key: string | null = name, more: Partial<Waiter<Key>> = {}): void {
    this.rounds.confirm({
      secret: key ?? '',
      cacheKey: key,
      arrivedAt: this.scheduler.now(),
      decide: (match) => this.events.push(`${name}: ${match?.state ?? 'unknown'}`),
      fail: (error) => this.events.push(`${name} failed: ${error instanceof Error ? error.message : error}`),
      ...more,
    });
  }

  /** Requests a key and lets the source answer. */
  async confirm(key: string, answer: Answer = {}): Promise<void> {
    this.request(key);
    await this.scheduler.turn();
    await this.answer(answer);
    this.events.length = 0;
    this.counted.length = 0;
    this.reads.length = 0;
  }

  /** Answers the last read, and lets the turn end. */
  async answer(more: Answer = {}): Promise<void> {
    this.read().answer(more);
    await this.scheduler.turn();
  }

  async fail(error: unknown): Promise<void> {
    this.read().fail(error);
    await this.scheduler.turn();
  }

  /** The last read. */
  read(): Read {
    return this.reads.at(-1) ?? expect.fail('nothing was read');
  }

  /** The events since the last call. */
  happened(): string[] {
    return this.events.splice(0);
  }

  #read(cursor: string | null, missing: MissingKeys): Answer | Promise<Answer> {
    const keys = [...missing.values()].map(({ secret }) => secret);
    if (this.answerNow !== null) return this.answerNow({ cursor, keys });
    return new Promise((answer, fail) => {
      this.reads.push({ cursor, keys, answer: (more = {}) => answer(more), fail });
    });
  }
}
