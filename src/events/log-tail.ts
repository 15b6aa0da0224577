import type { AwaitedEntries } from '../domain/audit-entry.ts';
import { type Scheduler, systemScheduler } from '../lib/scheduler.ts';
import type { AuditLog, EntryHead } from '../store/rows/audit-log.ts';

export interface LogTailOptions {
  readonly auditLog: Pick<AuditLog, 'heads' | 'lastRevision'>;
  readonly report: (error: unknown, what: string) => void;
  /** The time between two reads. Default: 250 ms. */
  readonly intervalMs?: number;
  readonly scheduler?: Scheduler;
}

/** Called with the next entries after the revision `after`, oldest first. Must not throw. */
export type LogListener = (entries: readonly EntryHead[], after: bigint) => void;

/**
 * Called if the log has lost entries that were read, because the database was restored or a replica without them took
 * over. The listener then gets the entries after the new end of the log. Must not throw.
 */
export type ResetListener = () => void;

interface Listener {
  readonly onEntries: LogListener;
  readonly onReset: ResetListener;
}

interface Waiter extends AwaitedEntries {
  readonly wake: () => void;
}

/** The maximum number of entries per read. After a full page, the next read follows at once. */
const pageSize = 500;

/**
 * Polls the log once for all listeners and waiting calls of this process, so that their number adds no load to the
 * database. Does not poll while there are none.
 */
export class LogTail {
  readonly #auditLog: LogTailOptions['auditLog'];
  readonly #report: LogTailOptions['report'];
  readonly #intervalMs: number;
  readonly #scheduler: Scheduler;
  readonly #listeners = new Set<Listener>();
  readonly #waiters = new Set<Waiter>();
  /** The listeners have got all entries up to this revision. Null while there are no listeners and no waiting calls. */
  #position: bigint | null = null;
  #running: Promise<void> | null = null;
  #readsAgain = false;
  #isTimerSet = false;
  #isStopped = true;
  /** Whether the next read without entries must check that the log was not set back. True once per interval. */
  #mustCheckEnd = true;

  constructor({ auditLog, report, intervalMs = 250, scheduler = systemScheduler }: LogTailOptions) {
    this.#auditLog = auditLog;
    this.#report = report;
    this.#intervalMs = intervalMs;
    this.#scheduler = scheduler;
  }

  start(): void {
    this.#isStopped = false;
    this.#read();
  }

  /** Resolves all waiting calls. */
  stop(): void {
    this.#isStopped = true;
    this.#listeners.clear();
    for (const { wake } of this.#waiters) wake();
  }

  /** Calls the listener with all entries committed from now on. Returns a function that ends the subscription. */
  subscribe(onEntries: LogListener, onReset: ResetListener = () => undefined): () => void {
    const listener = { onEntries, onReset };
    this.#listeners.add(listener);
    this.#read();
    return () => {
      this.#listeners.delete(listener);
      this.#forgetIfUnused();
    };
  }

  /**
   * Resolves when the log has an awaited entry, so that the caller reads the log. Also resolves if the caller is more
   * than a page behind, if the log was set back, after the timeout, when the signal is aborted, and when the tail is
   * stopped. Rejects with UNAVAILABLE if the log can't be read.
   */
  async waitFor(awaited: AwaitedEntries, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    if (this.#isStopped || signal?.aborted === true) return;
    let resolve: () => void = () => undefined;
    const promise = new Promise<void>((wake) => {
      resolve = wake;
    });
    const waiter = { ...awaited, wake: resolve };
    this.#waiters.add(waiter);
    this.#scheduler.afterIfAlive(timeoutMs, resolve);
    signal?.addEventListener('abort', resolve, { once: true });
    try {
      // `#pass` finds the entries after the position, and this read all others, so it must start after `locate`.
      await this.locate();
      this.#read();
      const { teamId, after } = awaited;
      const found = await this.#auditLog.heads({ teamId, after, oldestFirst: true, limit: pageSize });
      if (found.length < pageSize && !found.some((entry) => isAwaited(awaited, entry))) await promise;
    } finally {
      this.#waiters.delete(waiter);
      signal?.removeEventListener('abort', resolve);
      this.#forgetIfUnused();
    }
  }

  /** Returns the revision after which listeners get all entries: the end of the log if nothing was read before. */
  async locate(): Promise<bigint> {
    if (this.#position !== null) return this.#position;
    const end = await this.#auditLog.lastRevision();
    this.#position ??= end;
    return this.#position;
  }

  get #isUsed(): boolean {
    return !this.#isStopped && this.#listeners.size + this.#waiters.size > 0;
  }

  #forgetIfUnused(): void {
    // The next listener must not get the entries that are committed until then.
    if (!this.#isUsed) this.#position = null;
  }

  #read(): void {
    if (!this.#isUsed) return;
    this.#readsAgain = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
      this.#setTimer();
    });
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    try {
      while (this.#readsAgain && this.#isUsed) {
        this.#readsAgain = false;
        const after = await this.locate();
        const entries = await this.#auditLog.heads({ after, oldestFirst: true, limit: pageSize });
        // If the position has changed, all listeners have left and new ones came, which need only later entries.
        if (this.#position === after) this.#pass(entries, after);
        if (entries.length === pageSize) this.#readsAgain = true;
        else if (entries.length === 0) await this.#checkEnd(after);
      }
    } catch (error) {
      this.#readsAgain = false;
      if (!this.#isStopped) this.#report(error, 'the log of events could not be read; retrying');
    }
  }

  async #checkEnd(after: bigint): Promise<void> {
    if (!this.#mustCheckEnd) return;
    this.#mustCheckEnd = false;
    const end = await this.#auditLog.lastRevision();
    if (end >= after || this.#position !== after) return;
    this.#position = end;
    this.#report(new Error(`the last revision was ${after}, and is ${end} now`), 'the log of events was set back');
    for (const { onReset } of this.#listeners) onReset();
    for (const { wake } of this.#waiters) wake();
    this.#readsAgain = true;
  }

  #pass(entries: readonly EntryHead[], after: bigint): void {
    const last = entries.at(-1);
    if (last === undefined) return;
    this.#position = last.revision;
    for (const { onEntries } of this.#listeners) onEntries(entries, after);
    if (this.#waiters.size === 0) return;
    const ofTeams = new Map<string, EntryHead[]>();
    for (const entry of entries) {
      const ofTeam = ofTeams.get(entry.teamId);
      if (ofTeam === undefined) ofTeams.set(entry.teamId, [entry]);
      else ofTeam.push(entry);
    }
    for (const waiter of this.#waiters) {
      if (ofTeams.get(waiter.teamId)?.some((entry) => isAwaited(waiter, entry))) waiter.wake();
    }
  }

  #setTimer(): void {
    if (this.#isTimerSet || !this.#isUsed) return;
    this.#isTimerSet = true;
    this.#scheduler.afterIfAlive(this.#intervalMs, () => {
      this.#isTimerSet = false;
      this.#mustCheckEnd = true;
      this.#read();
    });
  }
}

function isAwaited({ after, actions }: AwaitedEntries, { revision, action }: EntryHead): boolean {
  return revision > after && actions.has(action);
}
