/**
 * Delivers events to endpoints. One instance at a time does so: it holds the claim in the store, and each of its writes
 * fails if it has lost it. So what another instance has settled is never undone; an event can be sent twice.
 */
import { randomUUID } from 'node:crypto';
import type { LatchkeyEvent } from '../../domain/event/event.ts';
import type { Delivery, DeliveryOutcome } from '../../domain/webhook/delivery.ts';
import { isBusy, nextAttempt } from '../../domain/webhook/retry-schedule.ts';
import { shownOrigin } from '../../domain/webhook/shown-url.ts';
import type { Webhook } from '../../domain/webhook/webhook.ts';
import { type Scheduler, systemScheduler } from '../../lib/scheduler.ts';
import { JobClaim } from '../../store/job-claim.ts';
import type { EntryHead } from '../../store/rows/audit-log.ts';
import type { Claim } from '../../store/rows/claims.ts';
import type { DeliveryState } from '../../store/rows/deliveries.ts';
import type { DisabledWebhook, WorkerProgress } from '../../store/rows/event-worker.ts';
import type { Store } from '../../store/store.ts';
import type { LogTail } from '../log-tail.ts';
import { systemEntry } from '../system-entry.ts';
import { Attempts, type AttemptsOptions, type EndedAttempt, resultOf, sendOnce } from './attempts.ts';
import { DeliveryCounters } from './delivery-counters.ts';
import type { EndpointQueue } from './endpoint-queue.ts';
import { Endpoints } from './endpoints.ts';
import { OutgoingEvent, OutgoingEvents, type OutgoingOptions } from './outgoing-events.ts';

export interface DelivererOptions extends Omit<OutgoingOptions, 'store'> {
  readonly store: Pick<Store, 'auditLog' | 'claims' | 'deliveries' | 'eventWorker' | 'keys' | 'webhooks'>;
  readonly tail: LogTail;
  readonly sender: AttemptsOptions['sender'];
  readonly report: (error: unknown, what: string) => void;
  readonly scheduler?: Scheduler;
  readonly now?: () => Date;
  /** Like `Math.random`. */
  readonly random?: () => number;
  /** The maximum number of events after its cursor that an endpoint has in memory. */
  readonly maxWindow?: number;
}

/** Progress is written at most so often, so that changes of keys keep their throughput, */
const saveIntervalMs = 250;
/** and at least so often while there is something to do, so that no other instance takes over. */
const beatIntervalMs = 400;
/** How long the beat of the claim stands still before another instance takes over. */
const standstillMs = 1200;
const tickMs = { busy: 100, idle: 250 } as const;
/** How often an instance without anything to do looks for deliveries that are due. */
const dueCheckMs = 3000;
/** How long to read for endpoints that are behind, before progress is written. */
const maxReadingMs = 100;
/** How often the logs of endpoints are cut, and of how many endpoints in one transaction. Each cut takes about 1 ms. */
const deliveriesPerTrim = 100;
const maxTrims = 4;
/** How long requests under way may still take when the process ends. */
const drainMs = 2000;

export class Deliverer {
  readonly counters = new DeliveryCounters();
  readonly #store: DelivererOptions['store'];
  readonly #tail: LogTail;
  readonly #report: DelivererOptions['report'];
  readonly #scheduler: Scheduler;
  readonly #now: () => Date;
  readonly #random: () => number;
  readonly #outgoing: OutgoingEvents;
  readonly #endpoints: Endpoints;
  readonly #attempts: Attempts;
  readonly #attemptsOptions: AttemptsOptions;
  readonly #claim: JobClaim;
  /** The beat at which the endpoints in memory are as in the store; null if they are not. */
  #loadedBeat: bigint | null = null;
  #mayHaveWork = true;
  /** Whether the log was set back, so that what is in memory is no longer true. */
  #mustForget = false;
  /** While the claim is given up, nothing starts. */
  #isReleasing = false;
  /** What was attempted since the last write, by endpoint and event. */
  #deliveries = new Map<string, Delivery>();
  #disabled: DisabledWebhook[] = [];
  readonly #progressed = new Set<EndpointQueue>();
  #dueCheckedMs = Number.NEGATIVE_INFINITY;
  #unsubscribe: () => void = () => undefined;
  #isStopped = true;
  #running: Promise<void> | null = null;
  #runsAgain = false;

  constructor(options: DelivererOptions) {
    const { store, tail, report, scheduler = systemScheduler, now = () => new Date(), random = Math.random } = options;
    this.#store = store;
    this.#tail = tail;
    this.#report = report;
    this.#scheduler = scheduler;
    this.#now = now;
    this.#random = random;
    this.#claim = new JobClaim({ claims: store.claims, job: 'deliveries', standstillMs, scheduler });
    this.#outgoing = new OutgoingEvents(options);
    this.#endpoints = new Endpoints(store, options.maxWindow ?? 1000, (id, state) => this.#isSettled(id, state));
    this.#attemptsOptions = {
      outgoing: this.#outgoing,
      sender: options.sender,
      now,
      report,
      mayStart: () => this.#mayStart(),
      onEnd: (ended) => this.#onEnd(ended),
    };
    this.#attempts = new Attempts(this.#attemptsOptions);
  }

  start(): void {
    this.#isStopped = false;
    this.#unsubscribe = this.#tail.subscribe(
      (entries) => this.#onEntries(entries),
      () => this.#onReset(),
    );
    this.#tick();
  }

  #mayStart(): boolean {
    return !this.#isStopped && !this.#isReleasing && !this.#mustForget && this.#claim.isSafe;
  }

  /** Waits a short time for requests under way, and writes what became of them. */
  async close(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#unsubscribe();
    await this.#running;
    const { now, after } = this.#scheduler;
    const endMs = now() + drainMs;
    while (!this.#attempts.isIdle && now() < endMs) {
      const waits = [new Promise<void>((resolve) => after(saveIntervalMs, resolve))];
      // While events are read, it resolves at once.
      if (this.#attempts.length > 0) waits.push(this.#attempts.ended());
      await Promise.race(waits);
      if (!this.#attempts.isIdle) await this.#saveAtEnd(false);
    }
    this.#attempts.abort();
    await this.#attempts.ended();
    await this.#saveAtEnd(true);
  }

  async #saveAtEnd(isReleased: boolean): Promise<void> {
    if (this.#claim.held === null) return;
    await this.#save(isReleased).catch((error) => this.#report(error, 'events may be delivered twice'));
  }

  /** Sends an event to an endpoint, once and at once. Returns what became of it. */
  async sendOnce(webhook: Webhook, event: LatchkeyEvent) {
    return await sendOnce(this.#attemptsOptions, webhook, new OutgoingEvent(() => event));
  }

  /** The age of the oldest event that is not settled; 0 without one, and if another instance delivers. */
  get oldestAgeMs(): number {
    let oldest = Number.POSITIVE_INFINITY;
    for (const { oldestMs } of this.#endpoints) oldest = Math.min(oldest, oldestMs ?? Number.POSITIVE_INFINITY);
    return oldest === Number.POSITIVE_INFINITY ? 0 : Math.max(0, this.#now().getTime() - oldest);
  }

  #tick(): void {
    if (this.#isStopped) return;
    this.#run();
    const isBusy = this.#claim.held !== null || (this.#mayHaveWork && this.#loadedBeat !== null);
    this.#scheduler.afterIfAlive(isBusy ? tickMs.busy : tickMs.idle, () => this.#tick());
  }

  /** Steps now. While a step runs, another one follows it. */
  #run(): void {
    this.#runsAgain = true;
    this.#running ??= this.#steps().finally(() => {
      this.#running = null;
    });
  }

  /** Never rejects. */
  async #steps(): Promise<void> {
    while (this.#runsAgain && !this.#isStopped) {
      this.#runsAgain = false;
      try {
        await this.#step();
      } catch (error) {
        this.#report(error, 'events could not be delivered; retrying');
      }
    }
  }

  async #step(): Promise<void> {
    if (this.#mustForget) this.#forget();
    if (this.#claim.held === null) {
      await this.#findDue();
      if (!this.#mayHaveWork || !(await this.#takeClaim())) return;
    }
    // Even if nothing can be read, what was attempted must be written.
    await this.#read().catch((error) => this.#report(error, 'events could not be read; retrying'));
    this.#addCandidates();
    this.#attempts.start();
    await this.#saveIfDue();
  }

  /** While there is nothing to do, looks for deliveries that are due by now. */
  async #findDue(): Promise<void> {
    if (this.#mayHaveWork) return;
    if (this.#endpoints.isToRead || this.#hasWork()) this.#mayHaveWork = true;
    const nowMs = this.#scheduler.now();
    if (this.#mayHaveWork || nowMs - this.#dueCheckedMs < dueCheckMs) return;
    this.#dueCheckedMs = nowMs;
    const due = await this.#store.deliveries.nextDue();
    if (due !== null && due <= this.#now()) this.#mayHaveWork = true;
  }

  /** Takes the claim if there is something to do and no other instance does it. Returns whether this instance has it. */
  async #takeClaim(): Promise<boolean> {
    const claim = await this.#claim.findTakeable();
    if (claim === null) {
      this.#forget();
      return false;
    }
    if (this.#loadedBeat !== claim.beat) {
      this.#forget();
      await this.#endpoints.load(() => this.#tail.locate());
      this.#loadedBeat = claim.beat;
    }
    await this.#read();
    if (!this.#hasWork() && claim.holder === '') {
      this.#mayHaveWork = this.#endpoints.isToRead;
      return false;
    }
    // If another instance has it since, the beat is another one.
    const taken = await this.#claim.take(claim);
    if (taken === null) return false;
    this.#loadedBeat = taken.beat;
    return true;
  }

  /** Whether something can be sent or is to be written. */
  #hasWork(): boolean {
    const nowMs = this.#now().getTime();
    for (const queue of this.#endpoints) if (queue.canSend(nowMs) || queue.isCursorLate(nowMs)) return true;
    return false;
  }

  /** Reads changed endpoints, and the log for those that are behind, for a limited time. */
  async #read(): Promise<void> {
    const { now } = this.#scheduler;
    const startedMs = now();
    await this.#endpoints.refresh();
    while (now() - startedMs < maxReadingMs) {
      const queue = await this.#endpoints.readNext(() => this.#now().getTime());
      if (queue === null) return;
      this.#attempts.add(queue);
      this.#attempts.start();
    }
    this.#runsAgain = true;
  }

  #addCandidates(): void {
    const nowMs = this.#now().getTime();
    for (const queue of this.#endpoints) if (queue.canSend(nowMs)) this.#attempts.add(queue);
  }

  #onEntries(entries: readonly EntryHead[]): void {
    for (const queue of this.#endpoints.notice(entries, this.#now().getTime())) this.#attempts.add(queue);
    if (this.#claim.held !== null) this.#attempts.start();
    // If nothing is loaded, it is not known which events an endpoint wants.
    if (this.#loadedBeat === null || this.#endpoints.isToRead || this.#hasWork()) {
      this.#mayHaveWork = true;
      this.#run();
    }
  }

  /** Whether a delivery that was read as pending is settled since, which is not written yet. A later replay is not. */
  #isSettled(webhookId: string, { revision, createdAt }: DeliveryState): boolean {
    const delivery = this.#deliveries.get(`${webhookId} ${revision}`);
    return delivery !== undefined && delivery.outcome !== 'PENDING' && delivery.createdAt >= createdAt;
  }

  #onReset(): void {
    this.#mustForget = true;
    this.#mayHaveWork = true;
    this.#run();
  }

  #onEnd({ queue, event, webhook, attempt }: EndedAttempt): void {
    // The endpoint was changed or removed, or another instance has taken over.
    if (!this.#endpoints.has(queue)) return;
    const now = this.#now();
    const attempts = event.attempts + 1;
    const retryAfterMs = attempt?.retryAfterMs ?? null;
    const isOver = attempt === null || attempt.ok;
    const next = isOver ? null : nextAttempt({ attempts, now, retryAfterMs, random: this.#random });
    const outcome: DeliveryOutcome = attempt?.ok === true ? 'DELIVERED' : next === null ? 'FAILED' : 'PENDING';
    const { revision, type, keyId, createdAt } = event;
    const webhookId = webhook.id;
    const result = attempt === null ? purged(now) : resultOf(attempt, now);
    const delivery = { webhookId, revision, type, keyId, createdAt, outcome, attempts, ...result, nextAttemptAt: next };
    this.#deliveries.set(`${webhookId} ${revision}`, delivery);
    this.#progressed.add(queue);
    this.counters.attempts[outcome] += 1;
    if (retryAfterMs !== null && isBusy(attempt?.status ?? null)) queue.pause(now.getTime() + retryAfterMs);
    if (attempt?.isGone === true) this.#disable(queue, webhook, 'GONE', now);
    else if (attempt !== null && outcome === 'FAILED') this.#disable(queue, webhook, 'FAILING', now);
    if (next === null) queue.settle(event);
    else queue.retry(event, next.getTime());
    this.#endpoints.check(queue);
  }

  /** @param webhook as it was when the attempt began, so that the answer of an old URL does not disable a new one */
  #disable(queue: EndpointQueue, webhook: Webhook, reason: DisabledWebhook['reason'], at: Date): void {
    if (queue.isHalted || webhook.version !== queue.webhook.version) return;
    queue.halt();
    const { id: keyId, teamId, url } = webhook;
    const details = { webhook: { id: keyId, origin: shownOrigin(url) }, reason };
    const entry = systemEntry({ action: 'WEBHOOK_DISABLED', keyId, teamId, details }, randomUUID(), at);
    this.#disabled.push({ webhook, reason, at, entry });
  }

  async #saveIfDue(): Promise<void> {
    const sinceMs = this.#claim.sinceRenewedMs;
    if (this.#claim.held === null || sinceMs < saveIntervalMs) return;
    const isReleased =
      this.#attempts.isIdle && !this.#endpoints.isToRead && this.#disabled.length === 0 && !this.#hasWork();
    if (isReleased || this.#deliveries.size > 0 || sinceMs >= beatIntervalMs) await this.#save(isReleased);
  }

  async #save(isReleased: boolean): Promise<void> {
    if (this.#mustForget) return;
    const nowMs = this.#now().getTime();
    const deliveries = this.#deliveries;
    const disabled = this.#disabled;
    const moved = Array.from(this.#endpoints).filter(
      (queue) => queue.cursor > queue.storedCursor && (this.#progressed.has(queue) || queue.isCursorLate(nowMs)),
    );
    const cursors = moved.map((queue) => ({ queue, id: queue.webhook.id, cursor: queue.cursor }));
    this.#deliveries = new Map();
    this.#disabled = [];
    this.#progressed.clear();
    this.#isReleasing = isReleased;
    const progress: WorkerProgress = {
      deliveries: [...deliveries.values()],
      cursors: cursors.map(({ id, cursor }) => ({ id, cursor })),
      disabled,
      trimmed: this.#toTrim(deliveries.values()),
      isReleased,
    };
    let saved: Claim | null;
    try {
      saved = await this.#store.eventWorker.save(this.#claim, progress);
    } catch (error) {
      // What was attempted meanwhile is newer.
      this.#deliveries = new Map([...deliveries, ...this.#deliveries]);
      this.#disabled = [...disabled, ...this.#disabled];
      for (const queue of moved) this.#progressed.add(queue);
      throw error;
    } finally {
      this.#isReleasing = false;
    }
    if (saved === null) {
      this.#forget();
      this.#mayHaveWork = true;
      return;
    }
    this.#loadedBeat = saved.beat;
    for (const { queue, cursor } of cursors) queue.stored(cursor);
    for (const { webhook, reason } of disabled) {
      this.counters.disabled[reason] += 1;
      this.#endpoints.reread(webhook.id);
    }
    if (isReleased) this.#mayHaveWork = this.#endpoints.isToRead || this.#hasWork();
  }

  /**
   * Chooses the endpoints whose log is cut to its maximum length: by lot, each on average once for so many deliveries.
   * Nothing has to be remembered for this, whatever happens to the endpoint, or to this instance.
   */
  #toTrim(written: Iterable<Delivery>): string[] {
    const counts = new Map<string, number>();
    for (const { webhookId } of written) counts.set(webhookId, (counts.get(webhookId) ?? 0) + 1);
    const chosen = [...counts].filter(([, count]) => this.#random() * deliveriesPerTrim < count);
    return chosen.slice(0, maxTrims).map(([webhookId]) => webhookId);
  }

  /** Another instance delivers or the log was set back, so what is in memory is no longer true. */
  #forget(): void {
    this.#mustForget = false;
    this.#claim.forget();
    this.#attempts.abort();
    this.#endpoints.clear();
    this.#deliveries.clear();
    this.#disabled = [];
    this.#progressed.clear();
    this.#loadedBeat = null;
  }
}

function purged(now: Date) {
  return {
    status: null,
    error: 'the event is no longer in the log',
    durationMs: null,
    responseBody: null,
    attemptedAt: now,
  };
}
