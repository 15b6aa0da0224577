/**
 * Counts verifications in memory and writes the counts about once a second, less often when tens of thousands of keys
 * are in use. A killed process loses at most the counts of one interval.
 */
import type { ControlPlane, UsageRecord } from '../domain/control-plane.ts';
import { type VerdictCode, verdictCodes } from '../domain/verdict-code.ts';

/** The key that was verified, and the team that owns it. */
interface UsedKey {
  readonly id: string;
  readonly teamId: string;
}

interface UsageCounter {
  readonly keyId: string;
  readonly teamId: string;
  /** Hours since the epoch. */
  readonly hour: number;
  lastUsedAt: number | null;
  readonly counts: number[];
}

const hourMs = 3_600_000;
const flushIntervalMs = 1000;
/** Writing takes at most a tenth of the time: the pause after a write is at least this many times its duration. */
const minPauseFactor = 9;
/** How many counters are written per transaction, so that a write never delays a verification for long. */
const chunkSize = 500;
/** How many counters are kept in memory while the store does not answer. Further ones are dropped. */
const maxCounters = 200_000;
const indexes = Object.fromEntries(verdictCodes.map((code, i) => [code, i])) as Readonly<Record<VerdictCode, number>>;

export class UsageRecorder {
  readonly #controlPlane: Pick<ControlPlane, 'addUsage'>;
  readonly #report: (error: unknown) => void;
  #counters = new Map<string, UsageCounter>();
  /** Counters of past hours, not yet written. */
  #past: UsageCounter[] = [];
  #timer: NodeJS.Timeout | null = null;
  #flushing: Promise<void> = Promise.resolve();
  #pauseMs = flushIntervalMs;
  #dropped = 0;
  #failures = 0;

  constructor(controlPlane: Pick<ControlPlane, 'addUsage'>, report: (error: unknown) => void) {
    this.#controlPlane = controlPlane;
    this.#report = report;
  }

  /** The number of counters that are not yet written. */
  get waiting(): number {
    return this.#counters.size + this.#past.length;
  }

  /** The number of verifications that were not counted, because there were too many counters. */
  get dropped(): number {
    return this.#dropped;
  }

  /** The number of failed writes. */
  get failures(): number {
    return this.#failures;
  }

  record(key: UsedKey, code: VerdictCode, now: number): void {
    const counter = this.#counterOf(key, Math.floor(now / hourMs));
    if (counter === undefined) {
      this.#dropped += 1;
      return;
    }
    const i = indexes[code];
    counter.counts[i] = (counter.counts[i] ?? 0) + 1;
    // Rejected verifications are counted but do not update `lastUsedAt`.
    if (code === 'VALID') counter.lastUsedAt = now;
  }

  /** Writes all counters. Those that can't be written are kept for the next flush. */
  async flush(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#write());
    await this.#flushing;
  }

  /** Writes the remaining counters. */
  async close(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.flush();
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #counterOf({ id, teamId }: UsedKey, hour: number): UsageCounter | undefined {
    const counter = this.#counters.get(id);
    if (counter !== undefined && counter.hour === hour) return counter;
    if (this.waiting >= maxCounters) return undefined;
    if (counter !== undefined) this.#past.push(counter);
    const counts = new Array<number>(verdictCodes.length).fill(0);
    const fresh: UsageCounter = { keyId: id, teamId, hour, lastUsedAt: null, counts };
    this.#counters.set(id, fresh);
    this.#timer ??= setTimeout(() => void this.flush(), this.#pauseMs);
    return fresh;
  }

  async #write(): Promise<void> {
    const counters = [...this.#past, ...this.#counters.values()];
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#counters = new Map();
    this.#past = [];
    const startedAt = performance.now();
    for (let i = 0; i < counters.length; i += chunkSize) {
      try {
        await this.#controlPlane.addUsage(counters.slice(i, i + chunkSize).map(recordOf));
      } catch (error) {
        this.#failures += 1;
        this.#report(error);
        this.#past.push(...counters.slice(i));
        this.#timer ??= setTimeout(() => void this.flush(), this.#pauseMs);
        return;
      }
      // Let pending verifications run between two chunks.
      await new Promise(setImmediate);
    }
    this.#pauseMs = Math.max(flushIntervalMs, minPauseFactor * (performance.now() - startedAt));
  }
}

function recordOf({ keyId, teamId, hour, lastUsedAt, counts }: UsageCounter): UsageRecord {
  return {
    keyId,
    teamId,
    hour: new Date(hour * hourMs),
    lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt),
    counts: verdictCodes.flatMap((code, i) => {
      const count = counts[i] ?? 0;
      return count === 0 ? [] : [{ code, count }];
    }),
  };
}
