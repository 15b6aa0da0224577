/**
 * Counts verifications in memory and writes the counts about once a second, less often when tens of thousands of keys
 * are in use. A killed process loses at most the counts of one interval.
 */
import type { ControlPlane, UsageRecord } from '../domain/control-plane.ts';
import type { VerdictCode } from '../domain/verdict-code.ts';
import { PeriodicWriter } from './periodic-writer.ts';
import { type PresentedKey, secretName } from './presented-key.ts';
import { VerdictCounts } from './verdict-counts.ts';

interface UsageCounter {
  readonly keyId: string;
  readonly teamId: string;
  readonly version: number;
  /** Hours since the epoch. */
  readonly hour: number;
  lastUsedAt: number | null;
  readonly counts: VerdictCounts;
}

const hourMs = 3_600_000;
const flushIntervalMs = 1000;
/** How many counters are kept in memory while the store does not answer. Further ones are dropped. */
const maxCounters = 200_000;

export class UsageRecorder {
  readonly #writer: PeriodicWriter<UsageCounter>;
  /** By the name of the secret. */
  #counters = new Map<string, UsageCounter>();
  /** Counters of past hours, not yet written. */
  #past: UsageCounter[] = [];
  #dropped = 0;

  constructor(controlPlane: Pick<ControlPlane, 'addUsage'>, report: (error: unknown) => void) {
    this.#writer = new PeriodicWriter({
      intervalMs: flushIntervalMs,
      take: () => this.#take(),
      write: (counters) => controlPlane.addUsage(counters.map(recordOf)),
      keep: (unwritten) => this.#past.push(...unwritten),
      report,
    });
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
    return this.#writer.failures;
  }

  record(key: PresentedKey, code: VerdictCode, now: number): void {
    const counter = this.#counterOf(key, Math.floor(now / hourMs));
    if (counter === undefined) {
      this.#dropped += 1;
      return;
    }
    counter.counts.add(code);
    // Rejected verifications are counted but do not update `lastUsedAt`.
    if (code === 'VALID') counter.lastUsedAt = now;
  }

  /** Writes all counters. Those that can't be written are kept for the next flush. */
  async flush(): Promise<void> {
    await this.#writer.flush();
  }

  /** Writes the remaining counters. */
  async close(): Promise<void> {
    await this.#writer.close();
  }

  #counterOf(key: PresentedKey, hour: number): UsageCounter | undefined {
    const name = secretName(key);
    const counter = this.#counters.get(name);
    if (counter !== undefined && counter.hour === hour) return counter;
    if (this.waiting >= maxCounters) return undefined;
    if (counter !== undefined) this.#past.push(counter);
    const { id, teamId, presentedVersion: version } = key;
    const fresh: UsageCounter = { keyId: id, teamId, version, hour, lastUsedAt: null, counts: new VerdictCounts() };
    this.#counters.set(name, fresh);
    this.#writer.schedule();
    return fresh;
  }

  #take(): readonly UsageCounter[] {
    const counters = [...this.#past, ...this.#counters.values()];
    this.#counters = new Map();
    this.#past = [];
    return counters;
  }
}

function recordOf({ keyId, teamId, version, hour, lastUsedAt, counts }: UsageCounter): UsageRecord {
  return {
    keyId,
    teamId,
    version,
    hour: new Date(hour * hourMs),
    lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt),
    counts: counts.list(),
  };
}
