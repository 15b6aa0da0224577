import { setImmediate as nextTurn, setTimeout as rest } from 'node:timers/promises';
import { FairQueue } from '../../admission/fair-queue.ts';
import { type Share, Slots } from '../../admission/slots.ts';
import { LatchkeyError } from '../../domain/errors.ts';
import type { Webhook } from '../../domain/webhook/webhook.ts';
import { type Attempt, noAnswer } from '../sender/attempt.ts';
import { restMsAfter } from '../sender/receiver-connection.ts';
import { type EventSender, SenderEndedError } from '../sender/webhook-sender.ts';
import type { EndpointQueue, QueuedEvent } from './endpoint-queue.ts';
import type { OutgoingEvents } from './outgoing-events.ts';

/** The maximum number of requests at the same time, and how many of them may be to endpoints whose last attempt failed. */
const maxRequests = 1000;
const maxFailing = 500;
/** How many of them may be to the endpoints of one team. */
const maxPerTeam = 40;
/** Events that are read at once, and requests that start in one turn of the event loop. */
const batchSize = 32;
const requestsPerTurn = 8;
/** A request costs the sender about 1 ms of CPU time. With this rest for each, it needs less than half of a processor. */
const restMsPerRequest = 2;

export interface AttemptsOptions {
  readonly outgoing: OutgoingEvents;
  readonly sender: EventSender;
  readonly now: () => Date;
  readonly report: (error: unknown, what: string) => void;
  /** Whether requests may start. */
  readonly mayStart: () => boolean;
  readonly onEnd: (ended: EndedAttempt) => void;
}

export interface EndedAttempt {
  readonly queue: EndpointQueue;
  readonly event: QueuedEvent;
  /** The endpoint as it was when the request began. */
  readonly webhook: Webhook;
  /** Null if the event has been purged from the log. */
  readonly attempt: Attempt | null;
}

interface Started {
  readonly queue: EndpointQueue;
  readonly event: QueuedEvent;
  readonly release: () => void;
}

/** Sends what is due, the endpoints of different teams in turns. */
export class Attempts {
  readonly #options: AttemptsOptions;
  readonly #candidates = new FairQueue<EndpointQueue>();
  readonly #isCandidate = new Set<EndpointQueue>();
  readonly #slots = new Slots(maxRequests);
  readonly #underWay = new Set<Promise<void>>();
  /** Events that were under way when the process of the sender ended. */
  readonly #interrupted = new WeakSet<QueuedEvent>();
  #abort = new AbortController();
  #isStarting = false;

  constructor(options: AttemptsOptions) {
    this.#options = options;
  }

  /** The number of requests under way. */
  get length(): number {
    return this.#underWay.size;
  }

  /** Whether nothing is under way or about to be. */
  get isIdle(): boolean {
    return !this.#isStarting && this.#underWay.size === 0;
  }

  /** Notes that an endpoint may have something to send. `start` then starts it. */
  add(queue: EndpointQueue): void {
    if (this.#isCandidate.has(queue)) return;
    this.#isCandidate.add(queue);
    this.#candidates.push(queue.webhook.teamId, queue);
  }

  start(): void {
    if (this.#isStarting || this.#candidates.length === 0 || !this.#options.mayStart()) return;
    const started = this.#take();
    if (started.length === 0) return;
    this.#isStarting = true;
    void this.#send(started, this.#abort.signal).then(async (isRead) => {
      await rest(started.length * restMsPerRequest);
      this.#isStarting = false;
      // Otherwise the store is away, and `start` is called again later.
      if (isRead) this.start();
    });
  }

  /** Ends all requests. What they have reached is not known. */
  abort(): void {
    this.#abort.abort(new Error('the delivery of events has stopped'));
    this.#abort = new AbortController();
  }

  /** Resolves when no request is under way. */
  async ended(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #take(): Started[] {
    const started: Started[] = [];
    const nowMs = this.#options.now().getTime();
    const full: EndpointQueue[] = [];
    while (started.length < batchSize) {
      const queue = this.#candidates.shift();
      if (queue === undefined) break;
      this.#isCandidate.delete(queue);
      if (!queue.canSend(nowMs)) continue;
      const slot = this.#slots.take(sharesOf(queue));
      if (slot.outcome !== 'taken') {
        full.push(queue);
        if (slot.outcome === 'full') break;
        continue;
      }
      const event = queue.take(nowMs);
      if (event === null) slot.release();
      else started.push({ queue, event, release: slot.release });
      this.add(queue);
    }
    for (const queue of full) this.add(queue);
    return started;
  }

  /** Returns whether the events could be read. Never rejects. */
  async #send(started: readonly Started[], signal: AbortSignal): Promise<boolean> {
    const { outgoing, report } = this.#options;
    const revisions = [...new Set(started.map(({ event }) => event.revision))];
    let events: Awaited<ReturnType<typeof outgoing.read>>;
    try {
      events = await outgoing.read(revisions);
    } catch (error) {
      report(error, 'events could not be read; retrying');
      for (const one of started) giveBack(one);
      return false;
    }
    for (const [i, one] of started.entries()) {
      if (i % requestsPerTurn === requestsPerTurn - 1) await nextTurn();
      const event = events.get(one.event.revision);
      if (signal.aborted || !one.queue.isOpen || !this.#options.mayStart()) giveBack(one);
      else if (event === undefined) {
        one.release();
        const { queue } = one;
        this.#options.onEnd({ queue, event: one.event, webhook: queue.webhook, attempt: null });
      } else this.#request(one, event, signal);
    }
    return true;
  }

  #request(one: Started, event: Parameters<OutgoingEvents['request']>[1], stopped: AbortSignal): void {
    const { outgoing, sender, now, report, onEnd } = this.#options;
    const { queue, release } = one;
    const { webhook } = queue;
    const signal = AbortSignal.any([stopped, queue.dropped]);
    const send = async (): Promise<Attempt | null> => {
      try {
        return await sender.send(outgoing.request(webhook, event, now()), {
          signal,
          // What is left is the start of the body. A receiver that never ends it must not hold the slot.
          onStatus: () => {
            release();
            this.start();
          },
        });
      } catch (error) {
        if (signal.aborted || this.#isDueAgain(one, error)) return null;
        report(error, 'a webhook could not be sent; retrying');
        return notSent;
      }
    };
    const underWay = send().then((attempt) => {
      this.#underWay.delete(underWay);
      if (attempt === null) giveBack(one);
      else {
        release();
        queue.isFailing = !attempt.ok;
        const restMs = restMsAfter(attempt.cpuMs);
        if (restMs > 0) queue.pause(now().getTime() + restMs);
        onEnd({ queue, event: one.event, webhook, attempt });
      }
      this.add(queue);
      this.start();
    });
    this.#underWay.add(underWay);
  }

  /**
   * Returns whether an attempt whose sender process has ended is made again at once, as if it had not begun: once. What
   * was under way twice may be what ends the process, and counts as failed, so that it is tried less and less often.
   */
  #isDueAgain({ event }: Started, error: unknown): boolean {
    if (!(error instanceof SenderEndedError) || this.#interrupted.has(event)) return false;
    this.#interrupted.add(event);
    return true;
  }
}

/** For example, because the key that has sealed the secret is not configured. */
const notSent: Attempt = { ...noAnswer, error: 'the request failed' };

function sharesOf({ webhook, isFailing }: EndpointQueue): Share[] {
  const ofTeam = { holder: `team ${webhook.teamId}`, maxSlots: maxPerTeam };
  return isFailing ? [ofTeam, { holder: 'failing', maxSlots: maxFailing }] : [ofTeam];
}

function giveBack({ queue, event, release }: Started): void {
  release();
  queue.giveBack(event);
}

/** Longer than an attempt. It ends only if the sender does not run. */
const sendOnceTimeoutMs = 20_000;

/** For a test event: what became of one attempt. */
export async function sendOnce(
  { outgoing, sender, now }: Pick<AttemptsOptions, 'outgoing' | 'sender' | 'now'>,
  webhook: Webhook,
  event: Parameters<OutgoingEvents['request']>[1],
) {
  const signal = AbortSignal.timeout(sendOnceTimeoutMs);
  const attempt = await sender.send(outgoing.request(webhook, event, now()), { signal }).catch((cause) => {
    if (!signal.aborted && !(cause instanceof SenderEndedError)) throw cause;
    const message = 'The process that sends webhooks has ended; what the receiver got is not known. Try again shortly.';
    throw new LatchkeyError('UNAVAILABLE', message, { cause });
  });
  return { outcome: attempt.ok ? 'DELIVERED' : 'FAILED', ...resultOf(attempt, now()) } as const;
}

/** A team can have a million accepted deliveries in a day, and their answers say little. */
const acceptedBodyCharacters = 128;

/** Leaves out the last character if it is an emoji, for example, of which only half would be kept. */
function startOf(text: string): string {
  const isCut = /[\ud800-\udbff]/.test(text.charAt(acceptedBodyCharacters - 1));
  return text.slice(0, acceptedBodyCharacters - (isCut ? 1 : 0));
}

/** The columns of a delivery about its last attempt. */
export function resultOf({ ok, status, error, durationMs, responseBody }: Attempt, now: Date) {
  const reason = ok ? null : (error ?? `answered ${status}`);
  const kept = ok ? startOf(responseBody) : responseBody;
  return { status, error: reason, durationMs, responseBody: kept, attemptedAt: now };
}
