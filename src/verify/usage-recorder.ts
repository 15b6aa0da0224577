/**
 * Use, gathered in memory and written about once a second, less often where tens of thousands of keys are in use at
 * once: a kill loses at most that much of it, and never a key.
 */
import type { ControlPlane, UsageRecord } from '../domain/control-plane.ts';
import { type VerdictCode, verdictCodes } from '../domain/verdict-code.ts';

/** The key that was verified, and the team that owns it. */
interface UsedKey {
  readonly id: string;
  readonly teamId: string;
}

interface Tally {
  readonly keyId: string;
  readonly teamId: string;
  /** Hours since the epoch. */
  readonly hour: number;
  lastUsedAt: number | null;
  readonly counts: number[];
}

const hourMs = 3_600_000;
const flushMs = 1000;
/** Writing may take at most a tenth of the time: when very many keys are in use, usage is written less often. */
const minIdleShare = 9;
/** So many in one transaction, so that writing them never holds up a verification for long. */
const chunkSize = 500;
/** While the store is away, tallies pile up. Beyond this, new ones are dropped. */
const mostTallies = 200_000;
const indexes = Object.fromEntries(verdictCodes.map((code, i) => [code, i])) as Readonly<Record<VerdictCode, number>>;

export class UsageRecorder {
  readonly #controlPlane: Pick<ControlPlane, 'addUsage'>;
  readonly #report: (error: unknown) => void;
  #tallies = new Map<string, Tally>();
  /** Of hours that ended since the last flush. */
  #past: Tally[] = [];
  #timer: NodeJS.Timeout | null = null;
  #flushing: Promise<void> = Promise.resolve();
  #pauseMs = flushMs;
  #dropped = 0;
  #failures = 0;

  constructor(controlPlane: Pick<ControlPlane, 'addUsage'>, report: (error: unknown) => void) {
    this.#controlPlane = controlPlane;
    this.#report = report;
  }

  /** Tallies that wait to be written. */
  get waiting(): number {
    return this.#tallies.size + this.#past.length;
  }

  /** Verifications that were not counted, because too many tallies waited. */
  get dropped(): number {
    return this.#dropped;
  }

  /** How often the store did not take what was to be written. */
  get failures(): number {
    return this.#failures;
  }

  record(key: UsedKey, code: VerdictCode, now: number): void {
    const tally = this.#tallyOf(key, Math.floor(now / hourMs));
    if (tally === undefined) {
      this.#dropped += 1;
      return;
    }
    const i = indexes[code];
    tally.counts[i] = (tally.counts[i] ?? 0) + 1;
    // A refused verification is counted, but is no use of the key.
    if (code === 'VALID') tally.lastUsedAt = now;
  }

  /** Writes what there is; what can't be written is kept for the next time. */
  async flush(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#write());
    await this.#flushing;
  }

  /** Writes the rest. */
  async close(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.flush();
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #tallyOf({ id, teamId }: UsedKey, hour: number): Tally | undefined {
    const tally = this.#tallies.get(id);
    if (tally !== undefined && tally.hour === hour) return tally;
    if (this.waiting >= mostTallies) return undefined;
    if (tally !== undefined) this.#past.push(tally);
    const counts = new Array<number>(verdictCodes.length).fill(0);
    const fresh: Tally = { keyId: id, teamId, hour, lastUsedAt: null, counts };
    this.#tallies.set(id, fresh);
    this.#timer ??= setTimeout(() => void this.flush(), this.#pauseMs);
    return fresh;
  }

  async #write(): Promise<void> {
    const tallies = [...this.#past, ...this.#tallies.values()];
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#tallies = new Map();
    this.#past = [];
    const startedAt = performance.now();
    for (let i = 0; i < tallies.length; i += chunkSize) {
      try {
        await this.#controlPlane.addUsage(tallies.slice(i, i + chunkSize).map(recordOf));
      } catch (error) {
        this.#failures += 1;
        this.#report(error);
        this.#past.push(...tallies.slice(i));
        this.#timer ??= setTimeout(() => void this.flush(), this.#pauseMs);
        return;
      }
      // Let the verifications of this turn of the event loop be answered.
      await new Promise(setImmediate);
    }
    this.#pauseMs = Math.max(flushMs, minIdleShare * (performance.now() - startedAt));
  }
}

function recordOf({ keyId, teamId, hour, lastUsedAt, counts }: Tally): UsageRecord {
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
