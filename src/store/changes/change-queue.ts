/**
 * How everything is written that people and the service change. A change decides on a locked state, and its rows,
 * entries of the log and revision are written atomically. Changes of keys that arrive during a transaction share the next
 * transaction and its disk sync (group commit). Queue keys take turns.
 *
 * Every change is taken, however many wait, so that no team can have the revokes of another one rejected. Admission limits
 * what waits: the running operations of a team submit about 500 changes at most, by their cost and by batches of 100.
 *
 * Housekeeping has a second door: what has no entry in the log and no credential to check, such as counts of use, claims
 * and deletions of old rows. Each is a transaction of its own, between groups of changes.
 */
import { FairQueue } from '../../admission/fair-queue.ts';
import { LatchkeyError } from '../../domain/errors.ts';
import type { DatabaseProvider } from '../../lib/database-address.ts';
import { nextTurn, pause, type Scheduler, systemScheduler } from '../../lib/scheduler.ts';
import type { Database } from '../database.ts';
import type { Prisma } from '../generated/sqlite/client.ts';
import { storeDoesNotAnswer } from '../store-does-not-answer.ts';
import { queryStore, wasCancelled, wasLockedOut, wasNotWritable } from '../unavailable.ts';
import { BulkRows } from './bulk-rows.ts';
import type { Change } from './change.ts';
import { type Applied, applyGroup, isShared, previewGroup, type Submitted } from './change-group.ts';
import { applyToKnownKey } from './known-key.ts';

/** What housekeeping writes in one transaction. It may run twice. */
export type Work<Result = void> = (transaction: Prisma.TransactionClient, bulk: BulkRows) => Promise<Result>;

export interface WorkOptions {
  /** Whose write it is: a team, a caller, or a part of the service. Holders take turns. Default: the service. */
  readonly holder?: string;
  /** Before other writes that wait, for a claim that others take over when it is not renewed in time. */
  readonly isFirst?: boolean;
}

interface Waiting extends Submitted {
  timedOut: boolean;
  /** Limits the time from the arrival of the change until the store answers. Excludes the lease. */
  readonly cancelDeadline: () => void;
}

/** Added to a lease: timers may fire 1 ms early, and the clocks of two machines differ slightly in speed. */
const clockToleranceMs = 2;
const groupSize = 100;
/**
 * How many turns of the event loop a group waits for further changes. Without work a turn takes microseconds. With work,
 * the callers that the last group has answered come back meanwhile: a larger group shares one disk sync.
 */
const gatheringTurns = 10;
/**
 * The maximum number of changes with the same queue key in a group: `withOthers` if the group has several queue keys,
 * `contended` if several came in the last second, else `alone`. Large groups are faster, but make other teams wait
 * (the attack many-changes).
 */
const queueShare = { alone: 25, contended: 8, withOthers: 5 } as const;
const contentionMs = 1000;
const lockPauseMs = 5;

/** `answerMs`: for a change, including its time in the queue. `lockMs`: for the lock of another process. */
const timeouts = {
  postgresql: { answerMs: 4000, lockMs: 0, transaction: { maxWait: 3000, timeout: 4000 } },
  sqlite: { answerMs: 15_000, lockMs: 5000, transaction: { maxWait: 5000, timeout: 10_000 } },
} as const satisfies Record<DatabaseProvider, object>;

export class ChangeQueue {
  readonly #database: Database;
  readonly #scheduler: Scheduler;
  readonly #waiting = new FairQueue<Waiting>();
  /** Those with a transaction of their own. */
  readonly #alone = new FairQueue<Waiting>();
  readonly #work = new FairQueue<() => Promise<void>>();
  readonly #firstWork: (() => Promise<void>)[] = [];
  #running: Promise<void> | null = null;
  /** Called after the answers of changes that a receipt can be about, with the revisions of their entries. */
  onAnswered: (revisions: readonly bigint[], at: Date) => void = () => undefined;
  #problem: unknown = null;
  #lastQueueKey: string | null = null;
  #contendedUntil = Number.NEGATIVE_INFINITY;

  constructor(database: Database, scheduler: Scheduler = systemScheduler) {
    this.#database = database;
    this.#scheduler = scheduler;
  }

  get length(): number {
    return this.#waiting.length + this.#alone.length;
  }

  /** The error if the disk rejected the last write, kept until a change succeeds; otherwise null. */
  get problem(): unknown {
    return this.#problem;
  }

  /**
   * Decides on a change in its turn, and writes the decision. Throws what `decide` throws, and UNAVAILABLE; then nothing is
   * written, unless the store answered too late.
   */
  async submit<Answer, State>(change: Change<Answer, State>): Promise<Answer> {
    const { queueKey } = change;
    if (this.#lastQueueKey !== null && queueKey !== this.#lastQueueKey) {
      this.#contendedUntil = this.#scheduler.now() + contentionMs;
    }
    this.#lastQueueKey = queueKey;
    const { answerMs } = timeouts[this.#database.provider];
    return await new Promise<Answer>((resolve, reject) => {
      const waiting: Waiting = {
        change,
        timedOut: false,
        cancelDeadline: this.#scheduler.after(answerMs, () => this.#timeOut(waiting)),
        // The answer is from this change's own `decide`.
        resolve: resolve as (answer: unknown) => void,
        reject,
      };
      this.#queueOf(waiting).push(queueKey, waiting);
      this.#start();
    });
  }

  /** Decides each change of keys on the current state, without a transaction and without writing. */
  async preview<Answer, State>(changes: readonly Change<Answer, State>[]): Promise<readonly Answer[]> {
    const { reader, provider } = this.#database;
    const answers = await queryStore(() => previewGroup(new BulkRows(reader, provider), changes));
    await this.waitForLease();
    // Each answer is from the `decide` of its own change.
    return answers as readonly Answer[];
  }

  /**
   * Waits for the lease: what the caller has read may reveal a change whose answer the lease still delays. Returns the
   * current revision.
   */
  async waitForLease(): Promise<bigint> {
    const { reader } = this.#database;
    // Read after the data that the caller reveals: an instance that raises the lease later has seen the same data.
    const { leaseMs, current } = await queryStore(() => reader.revision.findUniqueOrThrow({ where: { id: 1 } }));
    if (leaseMs > 0) await pause(this.#scheduler, leaseMs + clockToleranceMs);
    return current;
  }

  /** Rejects a change that has timed out. A waiting change is not applied; a running change may still be applied. */
  #timeOut(waiting: Waiting): void {
    this.#queueOf(waiting).remove(waiting.change.queueKey, waiting);
    waiting.timedOut = true;
    waiting.reject(storeDoesNotAnswer());
  }

  /**
   * Writes what has no entry in the log. Returns what the work returns. Runs between groups of changes, because on
   * SQLite, a second transaction of this process would wait for the first.
   */
  async housekeep<Result>(
    work: Work<Result>,
    { holder = 'the service', isFirst = false }: WorkOptions = {},
  ): Promise<Result> {
    return await new Promise<Result>((resolve, reject) => {
      const run = async () => {
        // A cancelled transaction has applied nothing, so retry once.
        const again = (error: unknown) => (wasCancelled(error) ? this.#transact(work) : Promise.reject(error));
        await this.#transact(work).catch(again).then(resolve, reject);
      };
      if (isFirst) this.#firstWork.push(run);
      else this.#work.push(holder, run);
      this.#start();
    });
  }

  /** Performs writes to test whether changes can be written. */
  async probe(work: Work): Promise<void> {
    await this.housekeep(work);
    this.#problem = null;
  }

  /** Resolves when no change or other write waits or runs. */
  async idle(): Promise<void> {
    await this.#running;
  }

  #start(): void {
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    try {
      do {
        for (let turn = 0; turn < gatheringTurns; turn += 1) await nextTurn(this.#scheduler);
        if (this.#waiting.length > 0) await this.#runGroup(this.#nextGroup());
        // One at a time: many of them, of many teams, must not delay changes of keys.
        const alone = this.#alone.shift();
        if (alone !== undefined) await this.#runGroup([alone]);
        await (this.#firstWork.shift() ?? this.#work.shift())?.();
      } while (this.length + this.#firstWork.length + this.#work.length > 0);
    } finally {
      // Must run synchronously after the last queue check; otherwise a submit in between would never be processed.
      this.#running = null;
    }
  }

  #queueOf({ change }: Waiting): FairQueue<Waiting> {
    return isShared(change) ? this.#waiting : this.#alone;
  }

  /** Returns the next group. Queue keys take turns, so the group ends when one queue key has its share. */
  #nextGroup(): readonly Waiting[] {
    const group: Waiting[] = [];
    const shares = new Map<string, number>();
    const alone = this.#scheduler.now() < this.#contendedUntil ? queueShare.contended : queueShare.alone;
    while (group.length < groupSize) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      group.push(next);
      const { queueKey } = next.change;
      const share = (shares.get(queueKey) ?? 0) + 1;
      shares.set(queueKey, share);
      if (share >= (shares.size > 1 ? queueShare.withOthers : alone)) break;
    }
    return group;
  }

  async #runGroup(waiting: readonly Waiting[]): Promise<void> {
    const group = waiting.filter(({ timedOut }) => !timedOut);
    if (group.length === 0) return;
    try {
      const applied = (await this.#applyAlone(group)) ?? (await this.#applyAll(group));
      this.#problem = null;
      this.#settleAll(group, applied);
    } catch (error) {
      // The statement timed out while it waited for changes of other instances, so nothing was applied. The group is
      // retried before newer changes, so that it does not time out under a steady load.
      if (wasCancelled(error)) {
        for (const one of group.toReversed().filter(({ timedOut }) => !timedOut)) {
          this.#queueOf(one).unshift(one.change.queueKey, one);
        }
      } else if (error instanceof LatchkeyError || group.length === 1) {
        const rejections = group.map(
          ({ reject }) =>
            () =>
              reject(error),
        );
        this.#settleAll(group, { settlements: rejections, receipted: [], leaseMs: 0 });
      }
      // One of the changes can't be written. Run each change alone, so that the others succeed.
      else for (const one of group) await this.#runGroup([one]);
    }
  }

  async #applyAll(group: readonly Waiting[]): Promise<Applied> {
    return await this.#transact((_, bulk) => applyGroup(bulk, group));
  }

  /** Returns null if only a transaction can write the group. On SQLite, a transaction has no round trips to save. */
  async #applyAlone([only, ...others]: readonly Waiting[]): Promise<Applied | null> {
    const { writer, provider } = this.#database;
    if (only === undefined || others.length > 0 || provider === 'sqlite') return null;
    try {
      return await queryStore(() => applyToKnownKey(new BulkRows(writer, provider, this.#scheduler), only));
    } catch (error) {
      if (wasNotWritable(error)) this.#problem = error;
      throw error;
    }
  }

  async #transact<T>(work: (transaction: Prisma.TransactionClient, bulk: BulkRows) => Promise<T>): Promise<T> {
    const { writer, provider, resetWriter, transactionStart } = this.#database;
    const { lockMs, transaction } = timeouts[provider];
    const deadline = this.#scheduler.now() + lockMs;
    for (;;) {
      try {
        return await queryStore(() =>
          writer.$transaction(async (client) => {
            if (transactionStart !== undefined) await client.$executeRawUnsafe(transactionStart);
            return await work(client, new BulkRows(client, provider, this.#scheduler));
          }, transaction),
        );
      } catch (error) {
        // If the reset fails too, the next transaction reports it.
        await resetWriter().catch(() => undefined);
        if (wasNotWritable(error)) this.#problem = error;
        // SQLite blocks the thread while it waits for a lock. Its lock timeout is short, so the wait is repeated.
        if (!wasLockedOut(error) || this.#scheduler.now() > deadline) throw error;
        await pause(this.#scheduler, lockPauseMs);
      }
    }
  }

  /**
   * Delays the answers by the lease (VERIFY_LEASE_MS), because an instance may use the state before the change. Such an
   * instance read the store before the commit, so its lease expires before the answers are sent. Answers without a change
   * wait too, because they may reveal a change whose answer is still delayed.
   */
  #settleAll(group: readonly Waiting[], { settlements, receipted, leaseMs }: Applied): void {
    for (const { cancelDeadline } of group) cancelDeadline();
    const settle = () => {
      for (const settleOne of settlements) settleOne();
      if (receipted.length > 0) this.onAnswered(receipted, new Date(this.#scheduler.date()));
    };
    if (leaseMs === 0) settle();
    else this.#scheduler.after(leaseMs + clockToleranceMs, settle);
  }
}
