/**
 * What an endpoint has to get next, in memory. Events of one key are sent in the order of the log, those of different keys
 * independently of each other. Holds positions only: events are read when they are sent.
 */
import { type EventType, eventTypeOf } from '../../domain/event/event-types.ts';
import { askedToWaitUntil } from '../../domain/webhook/retry-schedule.ts';
import { type Webhook, wants } from '../../domain/webhook/webhook.ts';
import type { EntryHead } from '../../store/rows/audit-log.ts';
import type { DeliveryState } from '../../store/rows/deliveries.ts';

/** The maximum number of requests to an endpoint at the same time. */
export const maxRequests = 2;

/** An event that the endpoint has to get. */
export interface QueuedEvent {
  readonly revision: bigint;
  readonly type: EventType;
  readonly keyId: string;
  /** When it happened, or was replayed. */
  readonly sinceMs: number;
  readonly createdAt: Date;
  readonly attempts: number;
}

interface Item extends QueuedEvent {
  createdAt: Date;
  attempts: number;
  /** When the next attempt is due. */
  dueMs: number;
  isSettled: boolean;
  /** Set if the event was replayed during an attempt. Then it is due again after the attempt. */
  replayedAt: Date | null;
}

/** The events of one key that are not settled, in the order in which they are sent. */
interface KeyQueue {
  readonly items: Item[];
  isSending: boolean;
}

export class EndpointQueue {
  webhook: Webhook;
  /** Up to where the stored cursor has come. */
  storedCursor: bigint;
  /** Whether pending deliveries may be stored that are not in this queue. */
  mayHavePending = true;
  /** Whether there are more than were read. Read again when others are settled. */
  #hasMorePending = false;
  /** Whether the log may have more entries of the team after `loadedUntil`. */
  isBehind = true;
  /** Whether the last attempt failed. */
  isFailing = false;
  /** The number of entries that the endpoint did not want since `storedCursor`, and since when there are some. */
  #skipped = 0;
  #skippedSinceMs = Number.POSITIVE_INFINITY;
  readonly #windowSize: number;
  /** The events after the cursor, in the order of the log, also those that are settled. */
  readonly #window: Item[] = [];
  /** The events that are not settled, also replayed ones before the cursor. */
  readonly #items = new Map<bigint, Item>();
  readonly #keys = new Map<string, KeyQueue>();
  /** The keys whose first event may be sent, in the order of their turns. */
  readonly #ready = new Set<string>();
  /** The keys whose first event waits for its next attempt. */
  readonly #waiting = new Set<string>();
  #nextDueMs = Number.POSITIVE_INFINITY;
  #loadedUntil: bigint;
  #requests = 0;
  #pausedUntilMs = 0;
  #isHalted = false;
  /** Whether the endpoint was changed and has not been read again. Events must not be sent to a URL that was replaced. */
  isOutdated = false;
  readonly #dropping = new AbortController();

  constructor(webhook: Webhook, windowSize: number) {
    this.webhook = webhook;
    this.storedCursor = webhook.cursor;
    this.#loadedUntil = webhook.cursor;
    this.#windowSize = windowSize;
  }

  /** Everything up to this revision is delivered or given up. */
  get cursor(): bigint {
    const [first] = this.#window;
    return first === undefined ? this.#loadedUntil : first.revision - 1n;
  }

  /** The entries of the team up to this revision are in this queue, or were settled. */
  get loadedUntil(): bigint {
    return this.#loadedUntil;
  }

  /** Whether something is to be read from the store, and so much was settled that it is worth it. */
  get isToRead(): boolean {
    if (this.#isHalted) return false;
    const half = this.#windowSize / 2;
    return (this.isBehind && this.#window.length <= half) || (this.mayHavePending && this.#items.size <= half);
  }

  get windowSize(): number {
    return this.#windowSize;
  }

  get requests(): number {
    return this.#requests;
  }

  /** The number of events that are not settled. */
  get length(): number {
    return this.#items.size;
  }

  /** When the oldest event that is not settled happened; null without one. */
  get oldestMs(): number | null {
    let oldest: number | null = null;
    for (const { sinceMs } of this.#items.values()) if (oldest === null || sinceMs < oldest) oldest = sinceMs;
    return oldest;
  }

  /** Whether the endpoint gets nothing more, until its change is stored. */
  get isHalted(): boolean {
    return this.#isHalted;
  }

  /** Whether requests may start. */
  get isOpen(): boolean {
    return !this.#isHalted && !this.isOutdated;
  }

  /** Whether an event can be sent now. */
  canSend(nowMs: number): boolean {
    this.#promote(nowMs);
    return this.isOpen && this.#requests < maxRequests && this.#ready.size > 0 && nowMs >= this.#pausedUntilMs;
  }

  /** Whether skipped entries are to be stored as passed, because there are many, or since long. */
  isCursorLate(nowMs: number): boolean {
    return this.#skipped >= maxSkipped || nowMs - this.#skippedSinceMs >= maxSkippedMs;
  }

  /**
   * Adds the events of entries of the team, which follow `loadedUntil` in the log. Returns whether there was room for all.
   * @param states what is stored about these events
   */
  append(entries: readonly EntryHead[], states: ReadonlyMap<bigint, DeliveryState>, nowMs: number): boolean {
    for (const entry of entries) {
      if (entry.revision <= this.#loadedUntil) continue;
      const type = eventTypeOf(entry.action);
      const state = states.get(entry.revision);
      this.#resumePause(state);
      if (!isFor(this.webhook, entry, type)) {
        this.#skip(nowMs);
        // The endpoint wanted this type when the delivery was recorded.
        if (state?.outcome === 'PENDING') this.mayHavePending = true;
      } else if (this.#window.length >= this.#windowSize) return false;
      else this.#add(itemOf(entry, type, state, nowMs));
      this.#loadedUntil = entry.revision;
    }
    return true;
  }

  /**
   * Adds stored deliveries that are pending: replayed ones, and those of types that the endpoint no longer wants.
   * @param isAll whether there are no others
   */
  addPending(states: readonly DeliveryState[], isAll: boolean): void {
    this.#hasMorePending = !isAll;
    for (const state of states) {
      this.#resumePause(state);
      const item = this.#items.get(state.revision);
      if (item === undefined) {
        // A later one is added with its entry.
        if (state.revision <= this.#loadedUntil) this.#enqueue(pendingItem(state));
      } else if (item.createdAt.getTime() !== state.createdAt.getTime()) this.#replay(item, state.createdAt);
    }
  }

  /** Returns the next event to send. The caller must settle, retry or return it. */
  take(nowMs: number): QueuedEvent | null {
    if (!this.canSend(nowMs)) return null;
    const [keyId = ''] = this.#ready;
    const key = this.#keys.get(keyId);
    const item = key?.items[0];
    if (key === undefined || item === undefined) return null;
    this.#ready.delete(keyId);
    key.isSending = true;
    this.#requests += 1;
    return item;
  }

  /** The event was delivered or given up. */
  settle({ revision }: QueuedEvent): void {
    const item = this.#ended(revision);
    if (item === null) return;
    item.attempts += 1;
    if (this.#hasMorePending) this.mayHavePending = true;
    if (item.replayedAt === null) this.#remove(item);
    else this.#replay(item, item.replayedAt);
    this.#continue(item.keyId);
  }

  /** The attempt failed, and the next one is due then. */
  retry({ revision }: QueuedEvent, dueMs: number): void {
    const item = this.#ended(revision);
    if (item === null) return;
    item.attempts += 1;
    item.dueMs = dueMs;
    if (item.replayedAt !== null) this.#replay(item, item.replayedAt);
    this.#continue(item.keyId);
  }

  /** The event was not attempted. */
  giveBack({ revision }: QueuedEvent): void {
    const item = this.#ended(revision);
    if (item !== null) this.#continue(item.keyId);
  }

  pause(untilMs: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, untilMs);
  }

  halt(): void {
    this.#isHalted = true;
  }

  /** Aborted when the queue is no longer used. */
  get dropped(): AbortSignal {
    return this.#dropping.signal;
  }

  /** Ends its requests too: the queue that follows it counts only its own. */
  drop(): void {
    this.halt();
    this.#dropping.abort(new Error('the endpoint was changed or removed'));
  }

  /** The cursor was stored. */
  stored(cursor: bigint): void {
    this.storedCursor = cursor;
    if (cursor < this.#loadedUntil) return;
    this.#skipped = 0;
    this.#skippedSinceMs = Number.POSITIVE_INFINITY;
  }

  /** Another instance, or this one before it loaded, may have been asked to wait. */
  #resumePause(state: DeliveryState | undefined): void {
    const until = state?.outcome === 'PENDING' ? askedToWaitUntil(state) : null;
    if (until !== null) this.pause(until.getTime());
  }

  #skip(nowMs: number): void {
    if (this.#skipped === 0) this.#skippedSinceMs = nowMs;
    this.#skipped += 1;
  }

  #add(item: Item): void {
    this.#window.push(item);
    if (!item.isSettled) this.#enqueue(item);
    this.#shift();
  }

  #enqueue(item: Item): void {
    this.#items.set(item.revision, item);
    const key = this.#keys.get(item.keyId) ?? { items: [], isSending: false };
    this.#keys.set(item.keyId, key);
    // Replayed events are older than those that wait. The one that is being sent stays the first.
    let place = key.items.length;
    const firstPlace = key.isSending ? 1 : 0;
    while (place > firstPlace && (key.items[place - 1]?.revision ?? 0n) > item.revision) place -= 1;
    key.items.splice(place, 0, item);
    if (!key.isSending) this.#continue(item.keyId);
  }

  #replay(item: Item, createdAt: Date): void {
    const key = this.#keys.get(item.keyId);
    if (key?.isSending === true && key.items[0] === item) {
      item.replayedAt = createdAt;
      return;
    }
    Object.assign(item, { createdAt, attempts: 0, dueMs: 0, replayedAt: null });
    this.#continue(item.keyId);
  }

  /** Returns the event of an attempt that has ended. */
  #ended(revision: bigint): Item | null {
    const item = this.#items.get(revision);
    const key = this.#keys.get(item?.keyId ?? '');
    if (item === undefined || key === undefined || !key.isSending || key.items[0] !== item) return null;
    key.isSending = false;
    this.#requests -= 1;
    return item;
  }

  #remove(item: Item): void {
    item.isSettled = true;
    this.#items.delete(item.revision);
    this.#keys.get(item.keyId)?.items.shift();
    this.#shift();
  }

  #shift(): void {
    let settled = 0;
    while (this.#window[settled]?.isSettled === true) settled += 1;
    if (settled > 0) this.#window.splice(0, settled);
  }

  /** Puts a key where its first event belongs. */
  #continue(keyId: string): void {
    this.#ready.delete(keyId);
    this.#waiting.delete(keyId);
    const key = this.#keys.get(keyId);
    const [first] = key?.items ?? [];
    if (first === undefined) this.#keys.delete(keyId);
    else if (first.dueMs <= 0) this.#ready.add(keyId);
    else {
      this.#waiting.add(keyId);
      this.#nextDueMs = Math.min(this.#nextDueMs, first.dueMs);
    }
  }

  #promote(nowMs: number): void {
    if (nowMs < this.#nextDueMs) return;
    this.#nextDueMs = Number.POSITIVE_INFINITY;
    for (const keyId of this.#waiting) {
      const dueMs = this.#keys.get(keyId)?.items[0]?.dueMs ?? 0;
      if (dueMs > nowMs) this.#nextDueMs = Math.min(this.#nextDueMs, dueMs);
      else {
        this.#waiting.delete(keyId);
        this.#ready.add(keyId);
      }
    }
  }
}

/** Skipped entries are stored with other writes, unless there are so many, or since so long. */
const maxSkipped = 200;
const maxSkippedMs = 3_600_000;

function isFor(webhook: Webhook, { action, teamId }: EntryHead, type: EventType): boolean {
  return teamId === webhook.teamId && action !== 'WEBHOOK_TESTED' && wants(webhook, type);
}

function itemOf(entry: EntryHead, type: EventType, state: DeliveryState | undefined, nowMs: number): Item {
  const { revision, keyId, at } = entry;
  return {
    revision,
    type,
    keyId,
    sinceMs: at.getTime(),
    createdAt: state?.createdAt ?? new Date(nowMs),
    attempts: state?.attempts ?? 0,
    dueMs: state?.nextAttemptAt?.getTime() ?? 0,
    isSettled: state !== undefined && state.outcome !== 'PENDING',
    replayedAt: null,
  };
}

function pendingItem({ revision, type, keyId, createdAt, attempts, nextAttemptAt }: DeliveryState): Item {
  const sinceMs = createdAt.getTime();
  const dueMs = nextAttemptAt?.getTime() ?? 0;
  return { revision, type, keyId, sinceMs, createdAt, attempts, dueMs, isSettled: false, replayedAt: null };
}
