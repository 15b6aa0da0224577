/**
 * The rate limits of keys, in fixed windows since the epoch; exact within one process. Each process sends its counts to
 * management about once per second, and gets the totals of all processes; teams take turns. So all processes together
 * exceed a limit by at most the requests accepted between two messages. While management does not answer, each process
 * uses the counts that it knows.
 *
 * A process whose clock is ahead starts each window early. Until the other processes start the window, a client can use
 * the old window at one machine and the new window at another.
 *
 * Not a `PeriodicWriter`: the first count is sent without a pause, one message at a time, chosen when it is sent, and its
 * answer changes the counts. A common class would need an option for each.
 */
import { FairQueue } from '../admission/fair-queue.ts';
import type { RateLimit } from '../domain/key/rate-limit.ts';
import type { RateLimitState } from '../domain/verdict/rate-limit-state.ts';
import { LruMap } from '../lib/lru-map.ts';
import type { ControlPlane } from '../wire/control-plane.ts';
import type { CountedKey } from './secret-counter.ts';

interface Counter {
  readonly keyId: string;
  readonly teamId: string;
  readonly windowSeconds: number;
  readonly windowEnd: number;
  /** The accepted requests of all processes, as far as this one knows. Never decreases. */
  count: number;
  /** The accepted requests of this process that were not sent yet. */
  unsent: number;
}

type LimitedKey = Pick<CountedKey, 'id' | 'teamId'>;

const sendIntervalMs = 1000;
/** The pause as a multiple of the last successful message, so that messages take at most a tenth of the time. */
const minPauseFactor = 9;
/** The number of counts per message, which is one transaction. */
const chunkSize = 500;
/** The maximum number of counters, about 20 MB. The next answer restores the count of a dropped counter. */
const maxCounters = 100_000;

export class KeyRateLimits {
  readonly #controlPlane: Pick<ControlPlane, 'addRates'>;
  readonly #report: (error: unknown) => void;
  /** By key id, so that both secrets of a key share its limit. */
  readonly #counters = new LruMap<Counter>(maxCounters);
  readonly #used = new FairQueue<Counter>();
  #timer: NodeJS.Timeout | null = null;
  #pauseMs = 0;
  #nextSendAt = Number.NEGATIVE_INFINITY;
  #isSending = false;
  #sending: Promise<void> = Promise.resolve();
  #failures = 0;

  constructor(controlPlane: Pick<ControlPlane, 'addRates'>, report: (error: unknown) => void) {
    this.#controlPlane = controlPlane;
    this.#report = report;
  }

  get failures(): number {
    return this.#failures;
  }

  /** Returns whether the limit allows a request that is valid otherwise. Counts only allowed requests. */
  accept(key: LimitedKey, { limit, windowSeconds }: RateLimit, now: number): boolean {
    const counter = this.#find(key.id, windowSeconds, now) ?? this.#start(key, windowSeconds, now);
    if (counter.count >= limit) return false;
    counter.count += 1;
    counter.unsent += 1;
    if (counter.unsent === 1) this.#schedule(counter);
    return true;
  }

  stateOf(keyId: string, { limit, windowSeconds }: RateLimit, now: number): RateLimitState {
    const count = this.#find(keyId, windowSeconds, now)?.count ?? 0;
    const resetSeconds = Math.max(1, Math.ceil((windowEndOf(windowSeconds, now) - now) / 1000));
    return { limit, windowSeconds, remaining: Math.max(0, limit - count), resetSeconds };
  }

  async close(): Promise<void> {
    // A fixed number of messages, because the counts of a failed one are queued again.
    for (let left = this.#used.length; left > 0; left -= chunkSize) await this.#send();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #find(keyId: string, windowSeconds: number, now: number): Counter | undefined {
    const counter = this.#counters.get(keyId);
    if (counter === undefined || counter.windowSeconds !== windowSeconds) return undefined;
    return counter.windowEnd === windowEndOf(windowSeconds, now) ? counter : undefined;
  }

  #start({ id: keyId, teamId }: LimitedKey, windowSeconds: number, now: number): Counter {
    const windowEnd = windowEndOf(windowSeconds, now);
    const counter: Counter = { keyId, teamId, windowSeconds, windowEnd, count: 0, unsent: 0 };
    this.#counters.set(keyId, counter);
    return counter;
  }

  #schedule(counter: Counter): void {
    this.#used.push(counter.teamId, counter);
    // A message under way starts the timer when it ends.
    if (!this.#isSending) this.#startTimer();
  }

  /** Sends the first count after a pause at once, because other processes may have accepted requests too. */
  #startTimer(): void {
    const waitMs = Math.max(0, this.#nextSendAt - performance.now());
    // The timer does not keep the process alive: `close` sends the remaining counts.
    this.#timer ??= setTimeout(() => this.#send().catch(this.#report), waitMs).unref();
  }

  async #send(): Promise<void> {
    const sendNext = () => this.#sendNext();
    this.#sending = this.#sending.then(sendNext, sendNext);
    await this.#sending;
  }

  async #sendNext(): Promise<void> {
    const startedAt = performance.now();
    const { failures } = this;
    this.#isSending = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const chunk = this.#takeChunk(Date.now());
    const isLast = this.#used.length === 0;
    try {
      if (chunk.length > 0) await this.#sendChunk(chunk);
    } finally {
      const endedAt = performance.now();
      const hasFailed = this.failures > failures;
      if (!hasFailed) this.#pauseMs = minPauseFactor * (endedAt - startedAt);
      const next = isLast || hasFailed ? startedAt + sendIntervalMs : endedAt;
      this.#nextSendAt = Math.max(next, endedAt + this.#pauseMs);
      this.#isSending = false;
      if (this.#used.length > 0) this.#startTimer();
    }
  }

  /** Takes the next counters. Skips counters of past windows, and counters that a changed limit has replaced. */
  #takeChunk(now: number): readonly Counter[] {
    const chunk: Counter[] = [];
    while (chunk.length < chunkSize) {
      const counter = this.#used.shift();
      if (counter === undefined) break;
      if (counter.windowEnd > now && this.#counters.peek(counter.keyId) === counter) chunk.push(counter);
    }
    return chunk;
  }

  async #sendChunk(chunk: readonly Counter[]): Promise<void> {
    const sent = chunk.map(({ keyId, windowSeconds, windowEnd, unsent }) => ({
      keyId,
      windowSeconds,
      windowEnd: new Date(windowEnd),
      count: unsent,
    }));
    for (const counter of chunk) counter.unsent = 0;
    try {
      const totals = await this.#controlPlane.addRates(sent);
      for (const [i, counter] of chunk.entries()) {
        counter.count = Math.max(counter.count, (totals[i] ?? 0) + counter.unsent);
      }
    } catch (error) {
      this.#failures += 1;
      // If only the answer was lost, the requests in `sent` count twice. The limit is still kept.
      for (const [i, counter] of chunk.entries()) {
        if (counter.unsent === 0) this.#schedule(counter);
        counter.unsent += sent[i]?.count ?? 0;
      }
      this.#report(error);
    }
  }
}

function windowEndOf(windowSeconds: number, now: number): number {
  const windowMs = windowSeconds * 1000;
  return (Math.floor(now / windowMs) + 1) * windowMs;
}
