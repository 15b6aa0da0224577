/** Counts verifications. A killed process loses the counts of one interval. */
import { otherLabels } from '../domain/derived/derived-token.ts';
import { limits } from '../domain/limits.ts';
import type { VerdictCode } from '../domain/verdict/verdict-code.ts';
import type { ControlPlane, UsageRecord } from '../wire/control-plane.ts';
import { PeriodicWriter } from './periodic-writer.ts';
import { type CountedKey, type SecretCounter, secretCounter, secretName } from './secret-counter.ts';

interface UsageCounter extends SecretCounter {
  /** Hours since the epoch. */
  readonly hour: number;
  readonly label: string | null;
  /** That of the secret, with the label. */
  readonly name: string;
  lastUsedAt: number | null;
}

const hourMs = 3_600_000;
const flushIntervalMs = 1000;
/** The maximum number of counters in memory. At the maximum, verifications that need a new counter are not counted. */
const maxCounters = 200_000;

export class UsageRecorder extends PeriodicWriter<UsageCounter> {
  readonly #controlPlane: Pick<ControlPlane, 'addUsage'>;
  #counters = new Map<string, UsageCounter>();
  /** Unwritten counters of earlier hours, by secret and hour. */
  #past = new Map<string, UsageCounter>();
  /** The labels of the counters, by secret. */
  readonly #labels = new Map<string, Set<string>>();
  #dropped = 0;

  constructor(controlPlane: Pick<ControlPlane, 'addUsage'>, report: (error: unknown) => void) {
    super(flushIntervalMs, report);
    this.#controlPlane = controlPlane;
  }

  override get waiting(): number {
    return this.#counters.size + this.#past.size;
  }

  /** The number of verifications that were not counted, because there were too many counters. */
  get dropped(): number {
    return this.#dropped;
  }

  record(key: CountedKey, code: VerdictCode, now: number): void {
    const counter = this.#counterOf(key, Math.floor(now / hourMs));
    if (counter === undefined) {
      this.#dropped += 1;
      return;
    }
    counter.counts.add(code);
    // Rejected verifications are counted but do not update `lastUsedAt`.
    if (code === 'VALID') counter.lastUsedAt = now;
  }

  #counterOf(key: CountedKey, hour: number): UsageCounter | undefined {
    const label = this.#keptLabel(secretName(key), key.label ?? null);
    const name = nameOf(secretName(key), label);
    const counter = this.#counters.get(name);
    if (counter !== undefined && counter.hour === hour) return counter;
    if (this.waiting >= maxCounters) return undefined;
    if (counter !== undefined) this.#setAside(counter);
    const fresh: UsageCounter = { ...secretCounter(key), name, label, hour, lastUsedAt: null };
    this.#counters.set(name, fresh);
    this.schedule();
    return fresh;
  }

  protected override async write(counters: readonly UsageCounter[]): Promise<void> {
    await this.#controlPlane.addUsage(counters.map(recordOf));
  }

  /**
   * The label under which a use is counted. Of one secret, no more labels are kept apart than the store does: who has a key
   * can invent any number, and the counters are for all teams.
   */
  #keptLabel(secret: string, label: string | null): string | null {
    if (label === null) return null;
    const kept = this.#labels.get(secret) ?? new Set();
    if (kept.has(label)) return label;
    if (kept.size >= limits.derivedLabels) return otherLabels;
    this.#labels.set(secret, kept.add(label));
    return label;
  }

  protected override restore(failed: UsageCounter): void {
    const label = this.#keptLabel(failed.secret, failed.label);
    const unwritten = { ...failed, label, name: nameOf(failed.secret, label) };
    const counter = this.#counters.get(unwritten.name);
    if (counter === undefined) this.#counters.set(unwritten.name, unwritten);
    else if (counter.hour === unwritten.hour) merge(counter, unwritten);
    else this.#setAside(unwritten);
  }

  #setAside(counter: UsageCounter): void {
    const name = `${counter.name} ${counter.hour}`;
    const same = this.#past.get(name);
    if (same === undefined) this.#past.set(name, counter);
    else merge(same, counter);
  }

  protected override take(): readonly UsageCounter[] {
    const counters = [...this.#counters.values(), ...this.#past.values()];
    this.#counters = new Map();
    this.#past = new Map();
    this.#labels.clear();
    return counters;
  }
}

function merge(counter: UsageCounter, other: UsageCounter): void {
  if (other.lastUsedAt !== null) counter.lastUsedAt = Math.max(counter.lastUsedAt ?? 0, other.lastUsedAt);
  counter.counts.addAll(other.counts);
}

function nameOf(secret: string, label: string | null): string {
  return label === null ? secret : `${secret} label ${label}`;
}

function recordOf({ keyId, teamId, version, label, hour, lastUsedAt, counts }: UsageCounter): UsageRecord {
  return {
    keyId,
    teamId,
    version,
    ...(label === null ? {} : { label }),
    hour: new Date(hour * hourMs),
    lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt),
    counts: counts.list(),
  };
}
