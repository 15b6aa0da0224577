import { setImmediate as nextTurn, setTimeout as rest } from 'node:timers/promises';
import { type Share, Slots } from '../../admission/slots.ts';
import { LatchkeyError } from '../../domain/errors.ts';
import type { Webhook } from '../../domain/webhook/webhook.ts';
import {
  type DeliveryQueue,
  type DueDelivery,
  type Endpoint,
  maxRequests as maxPerEndpoint,
  type PendingDelivery,
  type TakenDelivery,
} from '../../store/rows/delivery-queue.ts';
import { type Attempt, noAnswer } from '../sender/attempt.ts';
import { restMsAfter } from '../sender/receiver-connection.ts';
import { type EventSender, SenderEndedError } from '../sender/webhook-sender.ts';
import { resultOf } from './attempt-result.ts';
import { EndpointTurns } from './endpoint-turns.ts';
import { kindsInTurns } from './kinds-in-turns.ts';
import type { OutgoingEvent, OutgoingEvents } from './outgoing-events.ts';

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
/**
 * The shortest rest. Each batch costs several queries, however few events it has: if each attempt that ends made one, 200
 * events a second would take a third of the throughput of verification.
 */
const minRestMs = 50;

export interface AttemptsOptions {
  readonly queue: Pick<DeliveryQueue, 'due'>;
  readonly outgoing: OutgoingEvents;
  readonly sender: EventSender;
  readonly now: () => Date;
  readonly report: (error: unknown, what: string) => void;
  /** Whether requests may start. */
  readonly mayStart: () => boolean;
  /** Attempts that have ended, whose outcome is not written yet. */
  readonly unwritten: () => readonly TakenDelivery[];
  /** Never rejects. Until it resolves, the delivery is not due again. */
  readonly onEnd: (ended: EndedAttempt) => Promise<void>;
}

export interface EndedAttempt extends DueDelivery {
  /** Null if the event has been purged from the log. */
  readonly attempt: Attempt | null;
}

interface Chosen {
  readonly endpoint: Endpoint;
  /** Each releases a slot for one request. */
  readonly releases: (() => void)[];
}

interface UnderWay {
  readonly delivery: PendingDelivery;
  readonly aborting: AbortController;
  readonly ended: Promise<void>;
}

/**
 * Sends what is due, to the endpoints of different teams in turns. What one endpoint and one team have under way is limited,
 * so that receivers that hang leave the rest to others (the attacks bad-receivers and unended-answers).
 */
export class Attempts {
  readonly #options: AttemptsOptions;
  readonly #ready = new EndpointTurns();
  readonly #slots = new Slots(maxRequests);
  readonly #underWay = new Map<string, UnderWay>();
  /** The endpoints whose last attempt failed. */
  readonly #failing = new Set<string>();
  readonly #pausedUntilMs = new Map<string, number>();
  /** Events that were under way when the process of the sender ended. */
  readonly #interrupted = new Set<string>();
  #starting: Promise<void> | null = null;
  #startsAgain = false;

  constructor(options: AttemptsOptions) {
    this.#options = options;
  }

  /** Whether nothing is under way, and no endpoint is known to which something may be sent. */
  get isIdle(): boolean {
    return this.#starting === null && this.#underWay.size === 0 && this.#ready.length === 0;
  }

  /** Notes that an endpoint may have something to send. `start` then starts it. */
  add(endpoint: Endpoint): void {
    this.#ready.add(endpoint);
  }

  /** Sends nothing to an endpoint until then. */
  pause({ id }: Pick<Endpoint, 'id'>, untilMs: number): void {
    this.#pausedUntilMs.set(id, Math.max(untilMs, this.#pausedUntilMs.get(id) ?? 0));
  }

  /** Starts what is due, beside other work. */
  start(): void {
    if (this.#ready.length === 0) return;
    this.#startsAgain = true;
    this.#starting ??= this.#startAll().finally(() => {
      this.#starting = null;
    });
  }

  /** Never rejects. */
  async #startAll(): Promise<void> {
    while (this.#startsAgain) {
      this.#startsAgain = false;
      try {
        while (await this.#startBatch());
      } catch (error) {
        this.#options.report(error, 'events could not be read; retrying');
      }
    }
  }

  /** Returns whether there were endpoints to look at. */
  async #startBatch(): Promise<boolean> {
    if (!this.#options.mayStart()) return false;
    const chosen = this.#choose();
    if (chosen.size === 0) return false;
    let started = 0;
    try {
      started = await this.#send(chosen);
    } catch (error) {
      for (const { endpoint } of chosen.values()) this.#ready.add(endpoint);
      throw error;
    } finally {
      for (const { releases } of chosen.values()) for (const release of releases) release();
    }
    await rest(Math.max(minRestMs, started * restMsPerRequest));
    return true;
  }

  /** Ends the requests to an endpoint, or all, and its pause. What they have reached is not known. */
  abort(webhookId?: string): void {
    if (webhookId === undefined) this.#pausedUntilMs.clear();
    else this.#pausedUntilMs.delete(webhookId);
    for (const { delivery, aborting } of this.#underWay.values()) {
      if (webhookId === undefined || delivery.webhookId === webhookId) {
        aborting.abort(new Error('the endpoint was changed or removed, or the delivery of events has stopped'));
      }
    }
  }

  /** Forgets the endpoints to look at, and ends all requests. */
  clear(): void {
    this.#ready.clear();
    this.#failing.clear();
    this.abort();
  }

  /** Resolves when no request is under way, if none may start. */
  async ended(): Promise<void> {
    await this.#starting;
    while (this.#underWay.size > 0) await Promise.all(Array.from(this.#underWay.values(), ({ ended }) => ended));
  }

  /** Takes slots for endpoints in turns. */
  #choose(): Map<string, Chosen> {
    const chosen = new Map<string, Chosen>();
    const full: Endpoint[] = [];
    const nowMs = this.#options.now().getTime();
    for (let places = batchSize; places > 0; ) {
      const endpoint = this.#ready.shift();
      if (endpoint === undefined) break;
      // Found again when the pause is over.
      if (this.#isPaused(endpoint, nowMs)) continue;
      const { releases, outcome } = this.#takeSlots(endpoint);
      if (releases.length > 0) chosen.set(endpoint.id, { endpoint, releases });
      else full.push(endpoint);
      if (outcome === 'full') break;
      places -= releases.length;
    }
    for (const endpoint of full) this.#ready.add(endpoint);
    return chosen;
  }

  #isPaused({ id }: Endpoint, nowMs: number): boolean {
    const untilMs = this.#pausedUntilMs.get(id);
    if (untilMs === undefined || nowMs < untilMs) return untilMs !== undefined;
    this.#pausedUntilMs.delete(id);
    return false;
  }

  #takeSlots({ id, teamId }: Endpoint) {
    const shares: Share[] = [
      { holder: `endpoint ${id}`, maxSlots: maxPerEndpoint },
      { holder: `team ${teamId}`, maxSlots: maxPerTeam },
    ];
    if (this.#failing.has(id)) shares.push({ holder: 'failing', maxSlots: maxFailing });
    const releases: (() => void)[] = [];
    for (;;) {
      const slot = this.#slots.take(shares);
      if (slot.outcome !== 'taken') return { releases, outcome: slot.outcome };
      releases.push(slot.release);
    }
  }

  /** Takes the slots that it needs. Returns their number. */
  async #send(chosen: ReadonlyMap<string, Chosen>): Promise<number> {
    const { queue, outgoing, now, mayStart, unwritten, onEnd } = this.#options;
    const underWay = Array.from(this.#underWay.values(), ({ delivery: { webhookId, revision } }) => {
      return { webhookId, revision, isSettled: false };
    });
    const taken = [...underWay, ...unwritten()].filter(({ webhookId }) => chosen.has(webhookId));
    const found = await queue.due([...chosen.keys()], taken, now());
    const due = kindsInTurns(
      found,
      Array.from(this.#underWay.values(), ({ delivery }) => delivery),
    );
    const events = await outgoing.read([...new Set(due.map(({ delivery }) => delivery.revision))]);
    let started = 0;
    for (const one of due) {
      const { endpoint, releases } = chosen.get(one.webhook.id) ?? {};
      if (endpoint === undefined || releases === undefined || releases.length === 0) continue;
      if (started % requestsPerTurn === requestsPerTurn - 1) await nextTurn();
      if (!mayStart()) {
        this.#ready.add(endpoint);
        continue;
      }
      const event = events.get(one.delivery.revision);
      if (event === undefined) {
        await onEnd({ ...one, attempt: null });
        this.#ready.add(endpoint);
      } else {
        const release = releases.shift();
        if (release !== undefined) this.#request(endpoint, one, event, release);
        started += 1;
      }
    }
    return started;
  }

  #request(endpoint: Endpoint, due: DueDelivery, event: OutgoingEvent, release: () => void): void {
    const { outgoing, sender, now, report, onEnd } = this.#options;
    const { delivery, webhook } = due;
    const id = `${delivery.webhookId} ${delivery.revision}`;
    const aborting = new AbortController();
    const { signal } = aborting;
    const releaseAndContinue = () => {
      release();
      this.#ready.add(endpoint);
      this.start();
    };
    const send = async (): Promise<Attempt | null> => {
      try {
        const request = outgoing.request(webhook, event, now());
        // After the status, the start of the body is left. A receiver that never ends it must not hold the slot.
        return await sender.send(request, { signal, onStatus: releaseAndContinue });
      } catch (error) {
        if (signal.aborted || this.#isDueAgain(id, error)) return null;
        report(error, 'a webhook could not be sent; retrying');
        return notSent;
      }
    };
    const ended = send().then(async (attempt) => {
      // After an abort, another instance may have the delivery.
      if (attempt !== null && !signal.aborted) {
        this.#interrupted.delete(id);
        if (attempt.ok) this.#failing.delete(endpoint.id);
        else this.#failing.add(endpoint.id);
        const restMs = restMsAfter(attempt.cpuMs);
        if (restMs > 0) this.pause(endpoint, now().getTime() + restMs);
        await onEnd({ ...due, attempt });
      }
      this.#underWay.delete(id);
      releaseAndContinue();
    });
    this.#underWay.set(id, { delivery, aborting, ended });
  }

  /**
   * Returns whether an attempt whose sender process has ended is made again at once, as if it had not begun: once. What
   * was under way twice may be what ends the process, and counts as failed, so that it is tried less and less often.
   */
  #isDueAgain(id: string, error: unknown): boolean {
    if (!(error instanceof SenderEndedError) || this.#interrupted.has(id)) return false;
    this.#interrupted.add(id);
    return true;
  }
}

/** For example, because the key that has sealed the secret is not configured. */
const notSent: Attempt = { ...noAnswer, error: 'the request failed' };

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
