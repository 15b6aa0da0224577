/**
 * The only way to change keys: decides on a locked state, then writes key, audit entry and revision atomically. Changes
 * that arrive during a transaction share the next one, and with it the disk sync (group commit). Teams take turns.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FairQueue } from '../../admission/fair-queue.ts';
import { LatchkeyError } from '../../domain/errors.ts';
import type { Database } from '../database.ts';
import type { Prisma } from '../generated/sqlite/client.ts';
import { queryStore, storeDoesNotAnswer, wasCancelled, wasLockedOut, wasNotWritable } from '../unavailable.ts';
import { type BulkDialect, BulkRows } from './bulk-rows.ts';
import type { Change } from './change.ts';
import { applyGroup, previewGroup, type Settle, type Submitted } from './change-group.ts';

/** Writes that do not change keys. They run between groups and take no revision. */
export type Work = (transaction: Prisma.TransactionClient, bulk: BulkRows) => Promise<void>;

interface Waiting extends Submitted {
  timedOut: boolean;
  /** Limits the time from the arrival until the store answers, without the lease. */
  readonly deadline: NodeJS.Timeout;
}

/** Timers may fire a millisecond early, and the clocks of two machines run at slightly different speeds. */
const clockToleranceMs = 2;
const groupSize = 100;
/**
 * The maximum number of changes with one queue key in a group: `withOthers` if others are in it too, `contended` if
 * others came in the last second, else `alone`. Large groups are faster, but other teams wait for them.
 */
const queueShare = { alone: 25, contended: 8, withOthers: 5 } as const;
const contentionMs = 1000;
const lockPauseMs = 5;
const maxQueueLength = 2000;

/**
 * `answerMs`: from the arrival of a change to its answer, with the time in the queue, which may not move. `lockMs`: the
 * wait for the lock of another process.
 */
const timeouts = {
  postgresql: { answerMs: 4000, lockMs: 0, transaction: { maxWait: 3000, timeout: 4000 } },
  sqlite: { answerMs: 15_000, lockMs: 5000, transaction: { maxWait: 5000, timeout: 10_000 } },
} as const satisfies Record<BulkDialect, object>;

export class ChangeQueue {
  readonly #database: Database;
  readonly #waiting = new FairQueue<Waiting>();
  readonly #work: (() => Promise<void>)[] = [];
  #running: Promise<void> | null = null;
  #problem: unknown = null;
  #lastQueueKey: string | null = null;
  #contendedUntil = Number.NEGATIVE_INFINITY;

  constructor(database: Database) {
    this.#database = database;
  }

  get length(): number {
    return this.#waiting.length;
  }

  /** Why the disk rejected the last write, until a change succeeds again; null if it did not. */
  get problem(): unknown {
    return this.#problem;
  }

  async submit<Answer>(change: Change<Answer>): Promise<Answer> {
    if (this.#waiting.length >= maxQueueLength) {
      throw new LatchkeyError('UNAVAILABLE', 'Too many changes are waiting; try again shortly.');
    }
    const queueKey = queueKeyOf(change);
    if (this.#lastQueueKey !== null && queueKey !== this.#lastQueueKey) {
      this.#contendedUntil = performance.now() + contentionMs;
    }
    this.#lastQueueKey = queueKey;
    return await new Promise<Answer>((resolve, reject) => {
      const waiting: Waiting = {
        change,
        timedOut: false,
        deadline: setTimeout(() => this.#timeOut(waiting), timeouts[this.#database.provider].answerMs),
        // It is resolved with the answer of this change's own `decide`.
        resolve: resolve as (answer: unknown) => void,
        reject,
      };
      this.#waiting.push(queueKey, waiting);
      this.#start();
    });
  }

  /** Decides changes without writing them, each on the present state, and without a transaction. */
  async preview<Answer>(changes: readonly Change<Answer>[]): Promise<readonly Answer[]> {
    const answers = await queryStore(() => previewGroup(this.#database.reader, changes));
    await this.lease();
    // They are the answers of the changes' own `decide`.
    return answers as readonly Answer[];
  }

  /** Waits for the lease: what was read before can reveal a change whose own answer the lease still delays. */
  async lease(): Promise<void> {
    const { reader } = this.#database;
    // Read after what is revealed: an instance that raises the lease later has seen that.
    const { leaseMs } = await queryStore(() => reader.revision.findUniqueOrThrow({ where: { id: 1 } }));
    if (leaseMs > 0) await new Promise((resolve) => setTimeout(resolve, leaseMs + clockToleranceMs));
  }

  /** Rejects a change that has timed out. It is not applied if it still waits, but may be if it is running. */
  #timeOut(waiting: Waiting): void {
    this.#waiting.remove(queueKeyOf(waiting.change), waiting);
    waiting.timedOut = true;
    waiting.reject(storeDoesNotAnswer());
  }

  /** Runs other writes between groups: on SQLite, a second transaction of this process would wait for the first. */
  async perform(work: Work): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#work.push(async () => {
        // Nothing was applied, so retry once.
        const again = (error: unknown) => (wasCancelled(error) ? this.#transact(work) : Promise.reject(error));
        await this.#transact(work).catch(again).then(resolve, reject);
      });
      this.#start();
    });
  }

  /** Performs writes that succeed only if changes can be written. */
  async probe(work: Work): Promise<void> {
    await this.perform(work);
    this.#problem = null;
  }

  /** Resolves when every change submitted so far has been settled. */
  async idle(): Promise<void> {
    await this.#running;
  }

  #start(): void {
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    try {
      do {
        // Changes that arrive in the same turn of the event loop join the group.
        await nextTurn();
        if (this.#waiting.length > 0) await this.#runGroup(this.#nextGroup());
        await this.#work.shift()?.();
      } while (this.#waiting.length > 0 || this.#work.length > 0);
    } finally {
      // Must run synchronously after the last queue check; otherwise a submit in between would never be processed.
      this.#running = null;
    }
  }

  /** Ends the group when one queue key has its share: in turns, all others that wait have had as many. */
  #nextGroup(): readonly Waiting[] {
    const group: Waiting[] = [];
    const shares = new Map<string, number>();
    const alone = performance.now() < this.#contendedUntil ? queueShare.contended : queueShare.alone;
    while (group.length < groupSize) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      group.push(next);
      const queueKey = queueKeyOf(next.change);
      const share = (shares.get(queueKey) ?? 0) + 1;
      shares.set(queueKey, share);
      if (share >= (shares.size > 1 ? queueShare.withOthers : alone)) break;
    }
    return group;
  }

  async #runGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const { settlements, leaseMs } = await this.#transact((_, bulk) => applyGroup(bulk, group));
      this.#problem = null;
      settleAll(group, settlements, leaseMs);
    } catch (error) {
      // Waited for the changes of other instances beyond the statement timeout. Nothing was applied, so retry, before
      // the changes that have arrived since: under a steady load, they would wait until they time out.
      if (wasCancelled(error)) {
        const again = group.filter(({ timedOut }) => !timedOut).reverse();
        for (const waiting of again) this.#waiting.unshift(queueKeyOf(waiting.change), waiting);
      } else if (error instanceof LatchkeyError || group.length === 1) {
        const rejections = group.map(
          ({ reject }) =>
            () =>
              reject(error),
        );
        settleAll(group, rejections, 0);
      }
      // One of the changes can't be written. Run each alone, so that the others succeed.
      else for (const waiting of group) await this.#runGroup([waiting]);
    }
  }

  async #transact<T>(work: (transaction: Prisma.TransactionClient, bulk: BulkRows) => Promise<T>): Promise<T> {
    const { writer, provider, resetWriter } = this.#database;
    const { lockMs, transaction } = timeouts[provider];
    const deadline = performance.now() + lockMs;
    for (;;) {
      try {
        return await queryStore(() =>
          writer.$transaction((client) => work(client, new BulkRows(client, provider)), transaction),
        );
      } catch (error) {
        // If the reset fails too, the next transaction reports it.
        await resetWriter().catch(() => undefined);
        if (wasNotWritable(error)) this.#problem = error;
        // SQLite blocks the thread while it waits for a lock. Its timeout is therefore short, and the wait is repeated.
        if (!wasLockedOut(error) || performance.now() > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, lockPauseMs));
      }
    }
  }
}

function queueKeyOf(change: Change<unknown>): string {
  return change.kind === 'existing' ? change.queueKey : change.teamId;
}

/**
 * Delays the answers by the lease (VERIFY_LEASE_MS), while an instance may still use the state before the change. An
 * instance that has not seen the change read the store before the commit, so its lease has expired by then. Answers
 * without a change wait too: they may reveal a change whose own answer is still delayed.
 */
function settleAll(group: readonly Waiting[], settlements: readonly Settle[], leaseMs: number): void {
  for (const { deadline } of group) clearTimeout(deadline);
  const settle = () => {
    for (const settleOne of settlements) settleOne();
  };
  if (leaseMs === 0) settle();
  else setTimeout(settle, leaseMs + clockToleranceMs);
}
