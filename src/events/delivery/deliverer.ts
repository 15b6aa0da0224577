/**
 * Delivers events to endpoints. One instance at a time does so: it holds the claim in the store, and each of its writes
 * fails if it has lost it. What it knows besides is which requests are under way and where to look next; everything else
 * is in the rows of deliveries. An event can be sent twice, if an instance ends before it has written an outcome.
 */
import type { LatchkeyEvent } from '../../domain/event/event.ts';
import type { Delivery } from '../../domain/webhook/delivery.ts';
import { isBusy } from '../../domain/webhook/retry-schedule.ts';
import type { Webhook } from '../../domain/webhook/webhook.ts';
import { type Scheduler, systemScheduler } from '../../lib/scheduler.ts';
import type { Work } from '../../store/changes/change-queue.ts';
import { JobClaim } from '../../store/job-claim.ts';
import type { EntryHead } from '../../store/rows/audit-log.ts';
import { fanOut, settle } from '../../store/rows/delivery-queue.ts';
import type { Store } from '../../store/store.ts';
import type { LogTail } from '../log-tail.ts';
import { deliveryAfter } from './attempt-result.ts';
import { Attempts, type AttemptsOptions, type EndedAttempt, sendOnce } from './attempts.ts';
import { DeliveryCounters, type DisabledByAnswer } from './delivery-counters.ts';
import { disableEndpoint } from './disable-endpoint.ts';
import { EndpointTurns } from './endpoint-turns.ts';
import { OutgoingEvent, OutgoingEvents, type OutgoingOptions } from './outgoing-events.ts';
import { UnwrittenOutcomes } from './unwritten-outcomes.ts';

export interface DelivererOptions extends Omit<OutgoingOptions, 'store'> {
  readonly store: Pick<Store, 'auditLog' | 'changes' | 'claims' | 'deliveryQueue' | 'keys'>;
  readonly tail: LogTail;
  readonly sender: AttemptsOptions['sender'];
  readonly report: (error: unknown, what: string) => void;
  readonly scheduler?: Scheduler;
  readonly now?: () => Date;
  /** Like `Math.random`. */
  readonly random?: () => number;
}

/** Outcomes are written at most so often, unless there are many, so that changes of keys keep their throughput, */
const settleIntervalMs = 250;
/** and the claim at least so often while there is something to do, so that no other instance takes over. */
const beatIntervalMs = 400;
/** How long the beat of the claim stands still before another instance takes over. */
const standstillMs = 1200;
const tickMs = { busy: 100, idle: 250 } as const;
/** How often to look at all endpoints: for attempts that are due by now, and for what no entry of the log tells. */
const lookIntervalMs = 3000;
/** The maximum number of endpoints for which one transaction reads the log. */
const endpointsPerFanOut = 25;
/** How long requests under way may still take when the process ends. */
const drainMs = 2000;

/** Tells that an endpoint must get nothing more, or starts anew. */
const endsRequests: ReadonlySet<string> = new Set(['WEBHOOK_DISABLED', 'WEBHOOK_ENABLED', 'WEBHOOK_DELETED']);

export class Deliverer {
  readonly counters = new DeliveryCounters();
  readonly #store: DelivererOptions['store'];
  readonly #tail: LogTail;
  readonly #report: DelivererOptions['report'];
  readonly #scheduler: Scheduler;
  readonly #now: () => Date;
  readonly #random: () => number;
  readonly #attempts: Attempts;
  readonly #attemptsOptions: AttemptsOptions;
  readonly #claim: JobClaim;
  /** Whether another instance has the claim. It does what there is to do, so nothing is looked for meanwhile. */
  #isWaiting = false;
  /** The teams whose endpoints may have something to do. */
  #teams = new Set<string>();
  #lookedMs = Number.NEGATIVE_INFINITY;
  /** The endpoints for which the log has entries. */
  readonly #behind = new EndpointTurns();
  readonly #outcomes: UnwrittenOutcomes;
  #settledMs = Number.NEGATIVE_INFINITY;
  #oldest: Date | null = null;
  /** Whether cursors may be after the end of the log. */
  #mustResetCursors = true;
  #mustForget = false;
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
    this.#outcomes = new UnwrittenOutcomes(random);
    this.#claim = new JobClaim({ claims: store.claims, job: 'deliveries', standstillMs, scheduler });
    this.#attemptsOptions = {
      queue: store.deliveryQueue,
      outgoing: new OutgoingEvents(options),
      sender: options.sender,
      now,
      report,
      mayStart: () => !this.#isStopped && !this.#mustForget && this.#claim.isSafe,
      unwritten: () => this.#outcomes.taken,
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

  /** Waits a short time for requests under way, and writes what became of them. */
  async close(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#unsubscribe();
    await this.#running;
    const { now, after } = this.#scheduler;
    const endMs = now() + drainMs;
    let isDrained = false;
    const drained = this.#attempts.ended().then(() => {
      isDrained = true;
    });
    while (!isDrained && now() < endMs) {
      await Promise.race([drained, new Promise<void>((resolve) => after(settleIntervalMs, resolve))]);
      if (!isDrained) await this.#settleAtEnd();
    }
    this.#attempts.abort();
    await this.#attempts.ended();
    while (this.#outcomes.size > 0 && (await this.#settleAtEnd()));
    await this.#claim.release().catch((error) => this.#report(error, 'events are delivered a second later'));
  }

  async #settleAtEnd(): Promise<boolean> {
    try {
      return await this.#settle();
    } catch (error) {
      this.#report(error, 'events may be delivered twice');
      return false;
    }
  }

  /** Sends an event to an endpoint, once and at once. Returns what became of it. */
  async sendOnce(webhook: Webhook, event: LatchkeyEvent) {
    return await sendOnce(this.#attemptsOptions, webhook, new OutgoingEvent(() => event));
  }

  /** The age of the oldest event that waits, as of the last look at all endpoints; 0 without one. */
  get oldestAgeMs(): number {
    return this.#oldest === null ? 0 : Math.max(0, this.#now().getTime() - this.#oldest.getTime());
  }

  #tick(): void {
    if (this.#isStopped) return;
    this.#run();
    this.#scheduler.afterIfAlive(this.#claim.held === null ? tickMs.idle : tickMs.busy, () => this.#tick());
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
    if (this.#claim.held === null && !(await this.#takeClaim())) return;
    // Even if nothing can be read, what was attempted must be written.
    await this.#findWork().catch((error) => this.#report(error, 'events could not be read; retrying'));
    this.#attempts.start();
    await this.#write();
  }

  async #findWork(): Promise<void> {
    await this.#look();
    await this.#fanOut();
  }

  /** Takes the claim if there is something to do and no other instance does it. Returns whether this instance has it. */
  async #takeClaim(): Promise<boolean> {
    if (!this.#isWaiting) {
      await this.#look();
      if (!this.#hasWork) return false;
    }
    const claim = await this.#claim.findTakeable();
    const wasWaiting = this.#isWaiting;
    this.#isWaiting = claim === null;
    if (claim === null) return false;
    if (wasWaiting) {
      // The other instance has done what was found before.
      this.#forget();
      await this.#look();
      if (!this.#hasWork && claim.holder === '') return false;
    }
    return (await this.#claim.take(claim)) !== null;
  }

  get #hasWork(): boolean {
    return this.#teams.size > 0 || this.#behind.length > 0 || this.#outcomes.size > 0 || !this.#attempts.isIdle;
  }

  /** Finds the endpoints with something to do: of teams with new entries in the log, and sometimes of all. */
  async #look(): Promise<void> {
    const { deliveryQueue } = this.#store;
    const nowMs = this.#scheduler.now();
    const isOfAll = nowMs - this.#lookedMs >= lookIntervalMs;
    if (!isOfAll && this.#teams.size === 0) return;
    if (this.#mustResetCursors) {
      await deliveryQueue.resetCursors();
      this.#mustResetCursors = false;
    }
    const teams = this.#teams;
    this.#teams = new Set();
    try {
      const found = await deliveryQueue.find(this.#now(), isOfAll ? undefined : [...teams]);
      for (const { isBehind, isDue, ...endpoint } of found) {
        if (isBehind) this.#behind.add(endpoint);
        if (isDue) this.#attempts.add(endpoint);
      }
      if (!isOfAll) return;
      this.#lookedMs = nowMs;
      this.#oldest = await deliveryQueue.oldest();
    } catch (error) {
      for (const teamId of teams) this.#teams.add(teamId);
      throw error;
    }
  }

  /** Turns a batch of new entries of the log into deliveries. */
  async #fanOut(): Promise<void> {
    const endpoints = new Map<string, string>();
    while (endpoints.size < endpointsPerFanOut) {
      const endpoint = this.#behind.shift();
      if (endpoint === undefined) break;
      endpoints.set(endpoint.id, endpoint.teamId);
    }
    if (endpoints.size === 0) return;
    // If this fails, they are found again.
    const ranges = await this.#store.deliveryQueue.ranges([...endpoints.keys()]);
    if (ranges.length === 0 || !(await this.#renew((_, bulk) => fanOut(bulk, ranges, this.#now())))) return;
    for (const { id } of ranges) this.#teams.add(endpoints.get(id) ?? '');
    this.#runsAgain = true;
  }

  #onEntries(entries: readonly EntryHead[]): void {
    for (const { action, keyId, teamId } of entries) {
      if (endsRequests.has(action)) {
        this.#attempts.abort(keyId);
        this.#outcomes.endPause(keyId);
      }
      if (!this.#isWaiting) this.#teams.add(teamId);
    }
    this.#run();
  }

  /** The log ends earlier, and what is known of it is no longer true. */
  #onReset(): void {
    this.#mustForget = true;
    this.#mustResetCursors = true;
    this.#run();
  }

  async #onEnd({ delivery: pending, webhook, attempt }: EndedAttempt): Promise<void> {
    const now = this.#now();
    const delivery = deliveryAfter(attempt, pending, now, this.#random);
    const { outcome } = delivery;
    this.counters.attempts[outcome] += 1;
    const reason = attempt?.isGone === true ? 'GONE' : attempt !== null && outcome === 'FAILED' ? 'FAILING' : null;
    if (reason !== null && (await this.#disable(webhook, reason, delivery))) return;
    if (attempt !== null && attempt.retryAfterMs !== null && isBusy(attempt.status)) {
      const until = new Date(now.getTime() + attempt.retryAfterMs);
      this.#attempts.pause(webhook, until.getTime());
      this.#outcomes.pause(webhook, until);
    }
    this.#outcomes.add(webhook, delivery);
    if (this.#outcomes.isFull || this.#isSettlingDue) this.#run();
  }

  /** Never rejects: if it fails, a later attempt disables the endpoint. */
  async #disable(webhook: Webhook, reason: DisabledByAnswer, delivery: Delivery): Promise<boolean> {
    try {
      const isDisabled = await disableEndpoint(this.#store.changes, webhook, reason, delivery, this.#now());
      if (isDisabled) this.counters.disabled[reason] += 1;
      return isDisabled;
    } catch (error) {
      this.#report(error, 'an endpoint could not be disabled; retrying');
      return false;
    }
  }

  get #isSettlingDue(): boolean {
    return this.#scheduler.now() - this.#settledMs >= settleIntervalMs;
  }

  /** Writes outcomes, renews the claim, or gives it up if nothing is left to do. */
  async #write(): Promise<void> {
    while (this.#outcomes.isFull && (await this.#settle()));
    if (this.#claim.held === null) return;
    const isDue = this.#isSettlingDue;
    if (this.#outcomes.size > 0) {
      if (isDue) await this.#settle();
    } else if (isDue && !this.#hasWork && !this.#runsAgain) await this.#claim.release();
    if (this.#claim.held !== null && this.#claim.sinceRenewedMs >= beatIntervalMs) await this.#renew();
  }

  /** Writes a batch of outcomes. Returns false if this instance has lost the claim. */
  async #settle(): Promise<boolean> {
    const batch = this.#outcomes.nextBatch();
    const settledMs = this.#scheduler.now();
    if (!(await this.#renew((_, bulk) => settle(bulk, batch)))) return false;
    this.#settledMs = settledMs;
    // There may be room for more of the log, or an event was replayed meanwhile.
    for (const teamId of this.#outcomes.written(batch)) this.#teams.add(teamId);
    this.#runsAgain = true;
    return true;
  }

  /** Writes as the holder of the claim. Returns false, and forgets everything, if another instance has taken it. */
  async #renew(work?: Work): Promise<boolean> {
    if ((await this.#claim.write(work)) !== null) return true;
    this.#forget();
    this.#isWaiting = true;
    return false;
  }

  /** Another instance delivers or the log was set back, so what is in memory is no longer true. */
  #forget(): void {
    this.#mustForget = false;
    this.#claim.forget();
    this.#attempts.clear();
    this.#behind.clear();
    this.#teams.clear();
    this.#outcomes.clear();
    this.#lookedMs = Number.NEGATIVE_INFINITY;
  }
}
