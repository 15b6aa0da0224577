/**
 * Sends all events of all teams to the operator's receiver, in the order of the log and in batches, each until it is
 * accepted. The position is saved after that, so an event can be sent twice, with the same id, but is never left out.
 *
 * One instance sends: the one that holds the claim. It renews the claim with each position, and during a pause between two
 * attempts. While no event waits, it writes nothing and keeps the claim; another instance looks at the claim only while
 * events wait. At most one batch is in memory.
 */
import { type AuditEntry, noSubject } from '../../domain/audit-entry.ts';
import { eventOf } from '../../domain/event/event.ts';
import type { OpaqueRevisions } from '../../domain/opaque-revisions.ts';
import type { Scheduler } from '../../lib/scheduler.ts';
import { JobClaim } from '../../store/job-claim.ts';
import { beginProgress, type ProgressStates, saveProgress } from '../../store/rows/event-progress.ts';
import type { Store } from '../../store/store.ts';
import type { Form } from '../forms/forms.ts';
import type { Answer } from './events-receiver.ts';

export interface OperatorSubscriptionOptions {
  readonly store: Pick<Store, 'auditLog' | 'claims' | 'eventProgress' | 'keys'>;
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

interface EventBatch {
  readonly lines: string;
  readonly count: number;
  readonly last: bigint;
}

const id = 'operator';
/** After 413, batches are smaller. When this number of full ones has been accepted, their size is doubled. */
const batchesBeforeGrowth = 10;
export const maxBatchEvents = 500;
const maxBatchBytes = 1_000_000;
/** The entries of one read. There are few, because an entry can be much longer than its event. */
const pageSize = 50;

/** The pause after a batch that was not full, so that events in quick succession are sent together. */
const collectMs = 1000;
/** How often an instance checks whether events wait that no other instance sends. */
const checkMs = 5000;
/** How often the claim is renewed during a pause between two attempts, and after which time another instance takes it. */
const beatMs = 10_000;
export const takeoverMs = 40_000;
const backoff = { firstMs: 1000, maxMs: 300_000 } as const;

export class OperatorSubscription {
  readonly #options: OperatorSubscriptionOptions;
  readonly #claim: JobClaim;
  readonly #stopping = new AbortController();
  #running: Promise<void> | null = null;
  #unsubscribe: () => void = () => undefined;
  #endPause: () => void = () => undefined;
  #isIdle = false;
  #isWoken = false;
  #maxEvents = maxBatchEvents;
  #acceptedSinceReduced = 0;

  constructor(options: OperatorSubscriptionOptions) {
    this.#options = options;
    const { scheduler, store } = options;
    this.#claim = new JobClaim({
      claims: store.claims,
      job: 'operatorEvents',
      standstillMs: takeoverMs,
      scheduler,
    });
  }

  start(): void {
    this.#unsubscribe = this.#options.tail.subscribe(() => {
      this.#isWoken = true;
      if (this.#isIdle) this.#endPause();
    });
    this.#running = this.#run();
  }

  /** Stops after the current request, and releases the claim, so that another instance continues at once. */
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
    await this.#attempt(() => this.#claim.release());
  }

  async #attempt(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      // The last write may have been committed, so the claim has to be read again.
      this.#claim.forget();
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
      const position = await this.#position();
      if (position === null) return;
      const batch = await this.#nextBatch(position);
      // The beat stands still while no event waits, which says nothing about the holder.
      if (batch === null && this.#claim.held === null) this.#claim.forget();
      if (batch === null) return;
      if (this.#claim.held === null) {
        if (!(await this.#claim.takeOrRenew())) return;
        // The last holder may have saved another position since.
        continue;
      }
      const answer = await this.#options.receiver.send(batch.lines, this.#stopping.signal);
      if (answer.outcome === 'accepted') {
        failures = 0;
        const isFull = batch.count >= this.#maxEvents;
        if (isFull) this.#growBatches();
        const save = saveProgress(id, stateOf(batch.last));
        if ((await this.#claim.write((_, bulk) => save(bulk))) === null) return;
        if (!isFull) await this.#pause(collectMs);
      } else if (answer.isTooLarge && batch.count > 1) {
        this.#maxEvents = Math.ceil(batch.count / 2);
        this.#acceptedSinceReduced = 0;
      } else if (!this.#isStopped) {
        failures += 1;
        if (!(await this.#backOff(failures, answer))) return;
      }
    }
  }

  /** Lets batches grow again, because one long event can be the reason for a 413. */
  #growBatches(): void {
    this.#acceptedSinceReduced += 1;
    if (this.#acceptedSinceReduced < batchesBeforeGrowth) return;
    this.#acceptedSinceReduced = 0;
    this.#maxEvents = Math.min(this.#maxEvents * 2, maxBatchEvents);
  }

  /** Pauses after a failure. Returns false if another instance took over. */
  async #backOff(failures: number, answer: Answer & { outcome: 'failed' }): Promise<boolean> {
    const { random, report, scheduler } = this.#options;
    const longestMs = Math.min(backoff.firstMs * 2 ** (failures - 1), backoff.maxMs);
    const waitMs = Math.max(longestMs * (0.5 + random() / 2), answer.retryAfterMs ?? 0);
    const seconds = Math.ceil(waitMs / 1000);
    report(new Error(answer.reason), `events could not be sent to EVENTS_URL; retrying in ${seconds} s`);
    const end = scheduler.now() + waitMs;
    while (!this.#isStopped && scheduler.now() < end) {
      await this.#pause(Math.min(beatMs, end - scheduler.now()));
      if ((await this.#claim.write()) === null) return false;
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
      const entries = await this.#options.store.auditLog.list({ after: last, oldestFirst: true, limit });
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

  /** Returns up to where everything was accepted. Null before the first time, if another instance has the claim. */
  async #position(): Promise<bigint | null> {
    const { eventProgress } = this.#options.store;
    const stored = positionIn(await eventProgress.list(id));
    if (stored !== null) return stored;
    // An instance before 0.2 could begin at a later place at the same time, without the events between.
    const begin = beginProgress(id, stateOf);
    await this.#claim.takeOrRenew((_, bulk) => begin(bulk));
    return positionIn(await eventProgress.list(id));
  }

  /** Ends early if there is a new event while no event waits, and on a stop. */
  async #pause(ms: number): Promise<void> {
    if (this.#isStopped) return;
    await new Promise<void>((resolve) => {
      this.#options.scheduler.afterIfAlive(ms, resolve);
      this.#endPause = resolve;
    });
    this.#endPause = () => undefined;
  }
}

/** Only this file and `operatorCursor` of the purge know this form. */
function stateOf(position: bigint) {
  return { revision: String(position) };
}

function positionIn(states: ProgressStates): bigint | null {
  const state = states.get(id) as ReturnType<typeof stateOf> | undefined;
  return state === undefined ? null : BigInt(state.revision);
}
