/**
 * Records in memory from which addresses each secret of a key was presented, and writes them about every ten seconds. A
 * killed process loses at most what it recorded in one interval.
 */
import type { ControlPlane, SourceRecord } from '../domain/control-plane.ts';
import { formatIpAddress, type IpAddress } from '../domain/ip-address.ts';
import { maxObservedSources } from '../domain/observed-source.ts';
import type { VerdictCode } from '../domain/verdict-code.ts';
import { PeriodicWriter } from './periodic-writer.ts';
import { type PresentedKey, secretName } from './presented-key.ts';
import { VerdictCounts } from './verdict-counts.ts';

interface Observation {
  readonly secret: string;
  readonly keyId: string;
  readonly version: number;
  readonly source: IpAddress;
  firstAt: number;
  lastAt: number;
  readonly counts: VerdictCounts;
}

/** Of one secret, by address. */
type Observations = Map<number | bigint, Observation>;

const flushIntervalMs = 10_000;
/** How many observations are kept in memory until they are written. Further ones are dropped. */
const maxObservations = 50_000;

export class SourceRecorder {
  readonly #writer: PeriodicWriter<Observation>;
  /** By the name of the secret. */
  #secrets = new Map<string, Observations>();
  #size = 0;
  #dropped = 0;

  constructor(controlPlane: Pick<ControlPlane, 'addSources'>, report: (error: unknown) => void) {
    this.#writer = new PeriodicWriter({
      intervalMs: flushIntervalMs,
      take: () => this.#take(),
      write: (observations) => controlPlane.addSources(observations.map(recordOf)),
      keep: (unwritten) => {
        for (const observation of unwritten) this.#restore(observation);
      },
      report,
    });
  }

  /** The number of addresses, for each secret, that are not yet written. */
  get waiting(): number {
    return this.#size;
  }

  /** The number of verifications that are in no observed source, because there were too many addresses. */
  get dropped(): number {
    return this.#dropped;
  }

  /** The number of failed writes. */
  get failures(): number {
    return this.#writer.failures;
  }

  record(key: PresentedKey, source: IpAddress, code: VerdictCode, now: number): void {
    const secret = secretName(key);
    const seen = this.#secrets.get(secret)?.get(nameOf(source));
    if (seen !== undefined) {
      seen.counts.add(code);
      seen.lastAt = now;
      return;
    }
    const { id: keyId, presentedVersion: version } = key;
    const counts = new VerdictCounts();
    counts.add(code);
    this.#add({ secret, keyId, version, source, firstAt: now, lastAt: now, counts });
  }

  /** Writes all observations. Those that can't be written are kept for the next flush. */
  async flush(): Promise<void> {
    await this.#writer.flush();
  }

  /** Writes the remaining observations. */
  async close(): Promise<void> {
    await this.#writer.close();
  }

  #add(observation: Observation): void {
    const { secret, source, counts } = observation;
    const others: Observations = this.#secrets.get(secret) ?? new Map();
    // Of one secret, the addresses that were seen last are kept. A flood of them takes no place of other secrets.
    if (others.size >= maxObservedSources.perSecret) this.#dropOldest(others);
    if (this.#size >= maxObservations) {
      this.#dropped += counts.total;
      return;
    }
    others.set(nameOf(source), observation);
    this.#secrets.set(secret, others);
    this.#size += 1;
    this.#writer.schedule();
  }

  #dropOldest(observations: Observations): void {
    const [first, ...others] = observations.values();
    if (first === undefined) return;
    const oldest = others.reduce((a, b) => (b.lastAt < a.lastAt ? b : a), first);
    observations.delete(nameOf(oldest.source));
    this.#size -= 1;
    this.#dropped += oldest.counts.total;
  }

  /** Takes back an observation that could not be written, while the same address may have been seen again. */
  #restore(unwritten: Observation): void {
    const observations = this.#secrets.get(unwritten.secret);
    const again = observations?.get(nameOf(unwritten.source));
    if (again !== undefined) {
      again.firstAt = Math.min(again.firstAt, unwritten.firstAt);
      for (const { code, count } of unwritten.counts.list()) again.counts.add(code, count);
    } else if (observations !== undefined && observations.size >= maxObservedSources.perSecret) {
      // The others were seen later.
      this.#dropped += unwritten.counts.total;
    } else {
      this.#add(unwritten);
    }
  }

  #take(): readonly Observation[] {
    const observations = [...this.#secrets.values()].flatMap((bySource) => [...bySource.values()]);
    this.#secrets = new Map();
    this.#size = 0;
    return observations;
  }
}

/** A number is faster to look up than a bigint. No IPv6 address equals one of IPv4: those have another type. */
function nameOf({ family, value }: IpAddress): number | bigint {
  return family === 4 ? Number(value) : value;
}

function recordOf({ keyId, version, source, firstAt, lastAt, counts }: Observation): SourceRecord {
  return {
    keyId,
    version,
    address: formatIpAddress(source),
    firstAt: new Date(firstAt),
    lastAt: new Date(lastAt),
    counts: counts.list(),
  };
}
