/**
 * Sends all events of all teams to the operator's receiver, in the order of the log and in batches, each until it is
 * accepted. The cursor moves after that, so an event can be sent twice, with the same id, but is never left out.
 *
 * One instance sends: the one whose name is with the cursor. It changes the row with each batch, and while it retries. If
 * the row stands still while events wait, another instance takes over. The claim needs no writes of its own this way, and
 * a stalled receiver does not affect the deliveries to webhooks. Nothing waits in memory but one batch.
 */
import { randomUUID } from 'node:crypto';
import { type AuditEntry, noSubject } from '../../domain/audit-entry.ts';
import { eventOf } from '../../domain/event/event.ts';
import type { OpaqueRevisions } from '../../domain/opaque-revisions.ts';
import type { Scheduler } from '../../lib/scheduler.ts';
import { takeRevisions } from '../../store/changes/log.ts';
import { type ProgressStates, progressIn, saveProgress } from '../../store/rows/event-progress.ts';
import type { Store } from '../../store/store.ts';
import type { Form } from '../forms/forms.ts';
import type { Answer } from './events-receiver.ts';

export interface OperatorSubscriptionOptions {
  readonly store: Pick<Store, 'auditLog' | 'changes' | 'eventProgress' | 'keys'>;
  readonly revisions: OpaqueRevisions;
  readonly form: Pick<Form, 'body'>;
  readonly receiver: { readonly send: (lines: string, stop: AbortSignal) => Promise<Answer> };
  /** Calls back when the log has new entries. Returns a function that ends this. */
  readonly tail: { readonly subscribe: (listener: () => void) => () => void };
  readonly scheduler: Pick<Scheduler, 'now' | 'afterIfAlive'>;
  /** Returns a number from 0 to 1, like `Math.random`. */
  readonly random: () => number;
  readonly report: (error: unknown, what: string) => void;
}

interface Progress {
  /** Everything up to this revision was accepted. */
  readonly revision: string;
  /** The instance that sends; empty if it has stopped. */
  readonly holder: string;
  /** Changes with each write. */
  readonly beat: number;
}

interface EventBatch {
  readonly lines: string;
  readonly count: number;
  readonly last: bigint;
}

const id = 'operator';
/** After so many accepted batches that had been reduced after 413, larger ones are tried again. */
const batchesBeforeGrowth = 10;
export const maxBatchEvents = 500;
const maxBatchBytes = 1_000_000;
/** The entries of one read: an entry can be much longer than its event. */
const pageSize = 50;

/** Events that arrive in quick succession are sent together. */
const collectMs = 1000;
/** How often an instance looks whether events wait that no other instance sends. */
const checkMs = 5000;
/** How often the row changes during a pause between two attempts, and after which time another instance takes over. */
const beatMs = 10_000;
export const takeoverMs = 40_000;
const backoff = { firstMs: 1000, maxMs: 300_000 } as const;

export class OperatorSubscription {
  readonly #options: OperatorSubscriptionOptions;
  readonly #holder: string = randomUUID();
  readonly #stopping = new AbortController();
  #running: Promise<void> | null = null;
  #unsubscribe: () => void = () => undefined;
  #endPause: () => void = () => undefined;
  #isIdle = false;
  #isWoken = false;
  #maxEvents = maxBatchEvents;
  #acceptedSinceReduced = 0;
  /** The row as it was last read, and since when it is so. */
  #seen: { readonly progress: string; readonly since: number } | null = null;

  constructor(options: OperatorSubscriptionOptions) {
    this.#options = options;
  }

  start(): void {
    this.#unsubscribe = this.#options.tail.subscribe(() => {
      this.#isWoken = true;
      if (this.#isIdle) this.#endPause();
    });
    this.#running = this.#run();
  }

  /** Ends after the current request. Lets another instance continue at once. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#unsubscribe();
    this.#endPause();
    await this.#running;
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      await this.#attempt(() => this.#sendAll());
      this.#isIdle = true;
      if (!this.#isWoken) await this.#pause(checkMs);
      this.#isIdle = false;
      this.#isWoken = false;
    }
    await this.#attempt(() => this.#release());
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#options.report(
        error,
        'events for EVENTS_URL could not be read, or their progress not saved; retrying later',
      );
    }
  }

  /** Sends until no event waits, or another instance sends. */
  async #sendAll(): Promise<void> {
    let failures = 0;
    while (!this.#isStopped) {
      let progress: Progress | null = await this.#progress();
      const batch = await this.#nextBatch(BigInt(progress.revision));
      if (batch === null) return;
      if (progress.holder !== this.#holder) {
        progress = this.#mayTakeOver(progress) ? await this.#save(progress, progress.revision) : null;
        if (progress === null) return;
      }
      const answer = await this.#options.receiver.send(batch.lines, this.#stopping.signal);
      if (answer.outcome === 'accepted') {
        failures = 0;
        const isFull = batch.count >= this.#maxEvents;
        if (isFull) this.#growBatches();
        if ((await this.#save(progress, String(batch.last))) === null) return;
        if (!isFull) await this.#pause(collectMs);
      } else if (answer.isTooLarge && batch.count > 1) {
        this.#maxEvents = Math.ceil(batch.count / 2);
        this.#acceptedSinceReduced = 0;
      } else if (!this.#isStopped) {
        failures += 1;
        if (!(await this.#backOff(progress, failures, answer))) return;
      }
    }
  }

  /** One long event must not make all later batches small. */
  #growBatches(): void {
    this.#acceptedSinceReduced += 1;
    if (this.#acceptedSinceReduced < batchesBeforeGrowth) return;
    this.#acceptedSinceReduced = 0;
    this.#maxEvents = Math.min(this.#maxEvents * 2, maxBatchEvents);
  }

  /** Pauses after a failure. Returns false if another instance took over. */
  async #backOff(before: Progress, failures: number, answer: Answer & { outcome: 'failed' }): Promise<boolean> {
    const { random, report, scheduler } = this.#options;
    const longestMs = Math.min(backoff.firstMs * 2 ** (failures - 1), backoff.maxMs);
    const waitMs = Math.max(longestMs * (0.5 + random() / 2), answer.retryAfterMs ?? 0);
    const seconds = Math.ceil(waitMs / 1000);
    report(new Error(answer.reason), `events could not be sent to EVENTS_URL; retrying in ${seconds} s`);
    const end = scheduler.now() + waitMs;
    let progress = before;
    while (!this.#isStopped && scheduler.now() < end) {
      await this.#pause(Math.min(beatMs, end - scheduler.now()));
      const saved = await this.#save(progress, progress.revision);
      if (saved === null) return false;
      progress = saved;
    }
    return true;
  }

  /** Returns the next events; null if there are none. */
  async #nextBatch(after: bigint): Promise<EventBatch | null> {
    const lines: string[] = [];
    let bytes = 0;
    let last = after;
    while (lines.length < this.#maxEvents) {
      const limit = Math.min(pageSize, this.#maxEvents - lines.length);
      const entries = await this.#options.store.auditLog.after(last, limit);
      for (const { revision, line } of await this.#linesOf(entries)) {
        bytes += Buffer.byteLength(line);
        if (lines.length > 0 && bytes > maxBatchBytes) return { lines: lines.join(''), count: lines.length, last };
        lines.push(line);
        last = revision;
      }
      if (entries.length < limit) break;
    }
    return lines.length === 0 ? null : { lines: lines.join(''), count: lines.length, last };
  }

  async #linesOf(entries: readonly AuditEntry[]) {
    const { store, form, revisions } = this.#options;
    const ids = new Set(entries.map(({ keyId }) => keyId));
    ids.delete(noSubject);
    const keys = ids.size === 0 ? new Map<string, never>() : await store.keys.forEvents([...ids]);
    return entries.map((entry) => {
      const event = eventOf(entry, keys.get(entry.keyId) ?? null, revisions);
      return { revision: entry.revision, line: `${form.body(event)}\n` };
    });
  }

  /** Returns the progress. The first one begins at the end of the log. */
  async #progress(): Promise<Progress> {
    const { store } = this.#options;
    const stored = progressOf(await store.eventProgress.list(id));
    if (stored !== null) return stored;
    let progress: Progress | null = null;
    await store.changes.housekeep(async (_, bulk) => {
      const end = await takeRevisions(bulk, 0);
      progress = progressOf(await progressIn(bulk.transaction, id));
      if (progress !== null) return;
      progress = { revision: String(end), holder: this.#holder, beat: 0 };
      await saveProgress(id, { ...progress })(bulk);
    });
    return progress ?? (await this.#progress());
  }

  /** Returns whether the instance that sends has stopped or stands still, although events wait. */
  #mayTakeOver(progress: Progress): boolean {
    const now = this.#options.scheduler.now();
    const text = JSON.stringify(progress);
    if (this.#seen?.progress !== text) this.#seen = { progress: text, since: now };
    return progress.holder === '' || now - this.#seen.since >= takeoverMs;
  }

  /** Saves the progress as its holder. Returns null, and saves nothing, if another instance has changed it. */
  async #save(before: Progress, revision: string, holder = this.#holder): Promise<Progress | null> {
    const after: Progress = { revision, holder, beat: before.beat + 1 };
    let isSaved = false;
    await this.#options.store.changes.housekeep(async (_, bulk) => {
      await takeRevisions(bulk, 0);
      const stored = progressOf(await progressIn(bulk.transaction, id));
      isSaved = stored !== null && JSON.stringify(stored) === JSON.stringify(before);
      if (isSaved) await saveProgress(id, { ...after })(bulk);
    });
    return isSaved ? after : null;
  }

  async #release(): Promise<void> {
    const progress = progressOf(await this.#options.store.eventProgress.list(id));
    if (progress?.holder === this.#holder) await this.#save(progress, progress.revision, '');
  }

  /** Ends early when this stops. */
  async #pause(ms: number): Promise<void> {
    if (this.#isStopped) return;
    await new Promise<void>((resolve) => {
      this.#options.scheduler.afterIfAlive(ms, resolve);
      this.#endPause = resolve;
    });
    this.#endPause = () => undefined;
  }
}

function progressOf(states: ProgressStates): Progress | null {
  // Only this file writes it. In this order, because progresses are compared as texts.
  const state = states.get(id) as unknown as Progress | undefined;
  return state === undefined ? null : { revision: state.revision, holder: state.holder, beat: state.beat };
}
