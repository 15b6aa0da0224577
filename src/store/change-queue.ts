/**
 * The one way to change keys: decide on a state that nobody else can change meanwhile, then write the key, its audit
 * entry and its revision together or not at all.
 *
 * Changes that arrive while a transaction is under way share the next one (group commit): the disk is synced and the
 * revision taken once for all of them, which is what a database's cost per transaction is made of.
 */
import { LatchkeyError } from '../domain/errors.ts';
import type { BulkDialect } from './bulk-rows.ts';
import type { Change } from './change.ts';
import { applyGroup, type Settle, type Submitted } from './change-group.ts';
import type { Database } from './database.ts';
import type { Prisma } from './generated/sqlite/client.ts';
import { askStore, storeDoesNotAnswer, wasCancelled, wasLockedOut } from './unavailable.ts';

/** Writes that are no changes of keys: they take a turn among the groups, and no revision. */
export type Work = (transaction: Prisma.TransactionClient, dialect: BulkDialect) => Promise<void>;

interface Waiting extends Submitted {
  givenUp: boolean;
  /** From its arrival until the store has answered; a lease comes on top. */
  readonly deadline: NodeJS.Timeout;
}

/** Timers may fire a millisecond early, and two machines' clocks differ by some millionths. */
const clockToleranceMs = 2;
const groupSize = 100;
const lockPauseMs = 5;
const maxQueueLength = 2000;

interface Timeouts {
  /** From a change's arrival to its answer: behind others that wait for a store that is gone, its turn may never come. */
  readonly answerMs: number;
  /** For another process's lock. */
  readonly lockMs: number;
  readonly transaction: { readonly maxWait: number; readonly timeout: number };
}

const timeouts: Readonly<Record<BulkDialect, Timeouts>> = {
  postgresql: { answerMs: 4000, lockMs: 0, transaction: { maxWait: 3000, timeout: 4000 } },
  sqlite: { answerMs: 15_000, lockMs: 5000, transaction: { maxWait: 5000, timeout: 10_000 } },
};

export class ChangeQueue {
  readonly #database: Database;
  readonly #waiting: Waiting[] = [];
  readonly #work: (() => Promise<void>)[] = [];
  #running: Promise<void> | null = null;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Changes that wait for their transaction. */
  get length(): number {
    return this.#waiting.length;
  }

  async submit<Answer>(change: Change<Answer>): Promise<Answer> {
    if (this.#waiting.length >= maxQueueLength) {
      throw new LatchkeyError('UNAVAILABLE', 'Too many changes are waiting; try again shortly.');
    }
    return await new Promise<Answer>((resolve, reject) => {
      const waiting: Waiting = {
        change,
        givenUp: false,
        deadline: setTimeout(() => this.#giveUp(waiting), timeouts[this.#database.provider].answerMs),
        // The answer that `resolve` gets is the one that this very change's `decide` gave.
        resolve: resolve as (answer: unknown) => void,
        reject,
      };
      this.#waiting.push(waiting);
      this.#start();
    });
  }

  /** What still waits for its turn will not be done; what is under way may be. */
  #giveUp(waiting: Waiting): void {
    const place = this.#waiting.indexOf(waiting);
    if (place >= 0) this.#waiting.splice(place, 1);
    waiting.givenUp = true;
    waiting.reject(storeDoesNotAnswer());
  }

  /**
   * Does other writing in a transaction of its own, between groups. On SQLite a process must not start to write on one
   * connection while a transaction is open on another: it would wait for itself.
   */
  async perform(work: Work): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#work.push(async () => {
        // Nothing was done, so once more.
        const again = (error: unknown) => (wasCancelled(error) ? this.#transact(work) : Promise.reject(error));
        await this.#transact(work).catch(again).then(resolve, reject);
      });
      this.#start();
    });
  }

  /** Resolves when every change submitted so far has been settled. */
  async idle(): Promise<void> {
    await this.#running;
  }

  #start(): void {
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    // Let the requests that arrived in this turn of the event loop join the group.
    await new Promise(setImmediate);
    try {
      while (this.#waiting.length > 0 || this.#work.length > 0) {
        if (this.#waiting.length > 0) await this.#runGroup(this.#waiting.splice(0, groupSize));
        await this.#work.shift()?.();
      }
    } finally {
      // In the same breath as the last look at the queue: who comes after it must find nobody running.
      this.#running = null;
    }
  }

  async #runGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const { settlements, leaseMs } = await this.#transact((transaction, dialect) =>
        applyGroup(transaction, dialect, group),
      );
      for (const { deadline } of group) clearTimeout(deadline);
      settleAll(settlements, leaseMs);
    } catch (error) {
      // Behind the changes of other instances for longer than a statement may take: nothing is done, so once more.
      if (wasCancelled(error)) this.#waiting.unshift(...group.filter(({ givenUp }) => !givenUp));
      else if (error instanceof LatchkeyError || group.length === 1) rejectAll(group, error);
      // One of them can't be written: find out which, so that the others don't suffer for it.
      else for (const waiting of group) await this.#runGroup([waiting]);
    }
  }

  async #transact<T>(work: (transaction: Prisma.TransactionClient, dialect: BulkDialect) => Promise<T>): Promise<T> {
    const { writer, provider, resetWriter } = this.#database;
    const { lockMs, transaction } = timeouts[provider];
    const deadline = performance.now() + lockMs;
    for (;;) {
      try {
        return await askStore(() => writer.$transaction((client) => work(client, provider), transaction));
      } catch (error) {
        // Should that fail too, the next transaction will tell.
        await resetWriter().catch(() => undefined);
        // SQLite waits for a lock without letting go of the thread, so it waits briefly, and we go on waiting.
        if (!wasLockedOut(error) || performance.now() > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, lockPauseMs));
      }
    }
  }
}

function rejectAll(group: readonly Waiting[], error: unknown): void {
  for (const { deadline, reject } of group) {
    clearTimeout(deadline);
    reject(error);
  }
}

/**
 * Nobody hears of a change while an instance may still rely on the state before it (VERIFY_LEASE_MS): an instance that
 * has not seen the change asked before it was committed, so that what it was granted has run out by then. Answers that
 * change nothing wait too: they may tell of a change whose own answer is still held back.
 */
function settleAll(settlements: readonly Settle[], leaseMs: number): void {
  const settle = () => {
    for (const settleOne of settlements) settleOne();
  };
  if (leaseMs === 0) settle();
  else setTimeout(settle, leaseMs + clockToleranceMs);
}
