/** Records the addresses from which each secret was presented. A killed process loses the records of one interval. */
import { formatIpAddress, type IpAddress } from '../domain/source/ip-address.ts';
import { maxObservedSources, unlistedAddress } from '../domain/source/observed-source.ts';
import type { VerdictCode } from '../domain/verdict/verdict-code.ts';
import type { ControlPlane, SourceRecord } from '../wire/control-plane.ts';
import { PeriodicWriter } from './periodic-writer.ts';
import { type CountedKey, type SecretCounter, secretCounter, secretName } from './secret-counter.ts';

interface Observation extends SecretCounter {
  readonly source: IpAddress;
  firstAt: number;
  lastAt: number;
}

/** The observations of one secret, by address. */
type Observations = Map<number | bigint, Observation>;

/** The numbers of observations in memory: of listed addresses, and of secrets with unlisted addresses. */
interface Stored {
  listed: number;
  unlisted: number;
}

const flushIntervalMs = 10_000;
/**
 * Limits for all teams together. A team may store as many observations as are free. One team takes at most half of the
 * limit, two teams a third each, and a new team always has room (dynamic thresholds, Choudhury and Hahne, 1998).
 */
const maxStored: Readonly<Stored> = { listed: 50_000, unlisted: 25_000 };

export class SourceRecorder extends PeriodicWriter<Observation> {
  readonly #controlPlane: Pick<ControlPlane, 'addSources'>;
  #secrets = new Map<string, Observations>();
  #teams = new Map<string, Stored>();
  #stored: Stored = { listed: 0, unlisted: 0 };
  #dropped = 0;

  constructor(controlPlane: Pick<ControlPlane, 'addSources'>, report: (error: unknown) => void) {
    super(flushIntervalMs, report);
    this.#controlPlane = controlPlane;
  }

  /** The number of observations that are not yet written. All unlisted addresses of a secret count as one. */
  override get waiting(): number {
    return this.#stored.listed + this.#stored.unlisted;
  }

  /** The number of verifications whose address is not recorded, because there were too many addresses. */
  get dropped(): number {
    return this.#dropped;
  }

  record(key: CountedKey, source: IpAddress, code: VerdictCode, now: number): void {
    const seen = this.#secrets.get(secretName(key))?.get(nameOf(source));
    if (seen !== undefined) {
      seen.counts.add(code);
      seen.lastAt = now;
      return;
    }
    const counter = secretCounter(key);
    counter.counts.add(code);
    this.#add({ ...counter, source, firstAt: now, lastAt: now });
  }

  #add(observation: Observation): void {
    const { secret, source, teamId } = observation;
    const others = this.#secrets.get(secret);
    if (isUnlisted(source)) this.#addUnlisted(observation);
    else if (others !== undefined && listedIn(others) >= maxObservedSources.perSecret) {
      // Keeps the most recent addresses of the secret, so that a flood of addresses takes no space from other secrets.
      this.#unlistOldest(others);
      this.#store(observation, 'listed');
    } else if (this.#isFree(teamId, 'listed')) this.#store(observation, 'listed');
    else this.#unlist(observation);
  }

  #isFree(teamId: string, kind: keyof Stored): boolean {
    return (this.#teams.get(teamId)?.[kind] ?? 0) < maxStored[kind] - this.#stored[kind];
  }

  #store(observation: Observation, kind: keyof Stored): void {
    const { secret, teamId, source } = observation;
    const others: Observations = this.#secrets.get(secret) ?? new Map();
    others.set(nameOf(source), observation);
    this.#secrets.set(secret, others);
    this.#count(teamId, kind, 1);
    this.schedule();
  }

  #count(teamId: string, kind: keyof Stored, by: 1 | -1): void {
    const team = this.#teams.get(teamId) ?? { listed: 0, unlisted: 0 };
    team[kind] += by;
    this.#stored[kind] += by;
    this.#teams.set(teamId, team);
  }

  #unlistOldest(observations: Observations): void {
    let oldest: Observation | undefined;
    for (const one of observations.values())
      if (!isUnlisted(one.source) && (oldest === undefined || one.lastAt < oldest.lastAt)) oldest = one;
    if (oldest === undefined) return;
    observations.delete(nameOf(oldest.source));
    this.#count(oldest.teamId, 'listed', -1);
    this.#unlist(oldest);
  }

  /** Counts the observation without its address. */
  #unlist(observation: Observation): void {
    this.#dropped += observation.counts.total;
    this.#addUnlisted({ ...observation, source: unlistedAddress });
  }

  #addUnlisted(observation: Observation): void {
    const known = this.#secrets.get(observation.secret)?.get(unlistedName);
    if (known !== undefined) merge(known, observation);
    else if (this.#isFree(observation.teamId, 'unlisted')) this.#store(observation, 'unlisted');
  }

  protected override async write(observations: readonly Observation[]): Promise<void> {
    await this.#controlPlane.addSources(observations.map(recordOf));
  }

  protected override restore(unwritten: Observation): void {
    const { secret, source } = unwritten;
    const observations = this.#secrets.get(secret);
    const again = observations?.get(nameOf(source));
    if (again !== undefined) merge(again, unwritten);
    else if (isUnlisted(source) || observations === undefined) this.#add(unwritten);
    // Keeps the addresses in memory, because they are more recent than the unwritten address.
    else if (listedIn(observations) >= maxObservedSources.perSecret) this.#unlist(unwritten);
    else this.#add(unwritten);
  }

  protected override take(): readonly Observation[] {
    const observations = [...this.#secrets.values()].flatMap((bySource) => [...bySource.values()]);
    this.#secrets = new Map();
    this.#teams = new Map();
    this.#stored = { listed: 0, unlisted: 0 };
    return observations;
  }
}

/** Returns a number for IPv4, because looking up numbers is fast, and a bigint for IPv6. They are never equal. */
function nameOf({ family, value }: IpAddress): number | bigint {
  return family === 4 ? Number(value) : value;
}

const unlistedName = nameOf(unlistedAddress);

function isUnlisted(source: IpAddress): boolean {
  return nameOf(source) === unlistedName;
}

function listedIn(observations: Observations): number {
  return observations.size - (observations.has(unlistedName) ? 1 : 0);
}

function merge(known: Observation, other: Observation): void {
  known.firstAt = Math.min(known.firstAt, other.firstAt);
  known.lastAt = Math.max(known.lastAt, other.lastAt);
  known.counts.addAll(other.counts);
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
