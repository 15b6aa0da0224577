import { Slots } from '../admission/slots.ts';
import { LatchkeyError } from '../domain/errors.ts';
import { addressOf, type IpAddress, numberOf } from '../domain/source/ip-address.ts';
import type { HostAddresses } from '../domain/source/source-match.ts';
import { type HostAnswer, HostQueries, type HostQueriesOptions } from './host-queries.ts';
import { defaultPlaces, takePlace } from './query-places.ts';

export interface HostResolverOptions extends HostQueriesOptions {
  /** The maximum memory use of the cached names of all teams together, estimated. */
  readonly maxBytes?: number;
  readonly places?: typeof defaultPlaces;
  /** The maximum number of requests per team that wait for DNS. */
  readonly maxWaiting?: number;
}

/** The maximum number of names per team that are queried or wait for a place. A single allow-list needs fewer. */
const maxQueries = 256;
/** The measured size of a name with its answer and its timer, and of each address. */
const [nameBytes, addressBytes] = [1200, 50];
/** A name in use is queried again after this share of its answer's lifetime. */
const refreshShare = 0.8;
/** A name is in use if it was used since its last DNS answer or within the past 60 s. */
const inUseMs = 60_000;

interface Name {
  readonly answer: HostAnswer;
  readonly timer: NodeJS.Timeout;
  readonly bytes: number;
  usedAtMs: number;
}

const noAddresses: HostAddresses = { addresses: new Set(), tooMany: false };

/** The names of one team. Teams are separate, so that no team can evict, delay or reveal the names of another. */
interface TeamNames {
  /** Ordered from least to most recently used. */
  readonly names: Map<string, Name>;
  /** Resolve to false if no place was free for the query. */
  readonly queries: Map<string, Promise<boolean>>;
  waiting: number;
  bytes: number;
}

/**
 * Resolves the host names in allow-lists. Names in use are queried again before their answer expires, so that
 * verifications rarely wait. An expired answer is never used: an attacker who can block DNS could otherwise keep an
 * address allowed after its owner gave it up.
 */
export class HostResolver {
  readonly #dns: HostQueries;
  readonly #now: () => number;
  readonly #places: typeof defaultPlaces & { readonly timeoutMs: number };
  readonly #slots: Slots;
  readonly #maxBytes: number;
  readonly #maxWaiting: number;
  readonly #teams = new Map<string, TeamNames>();
  #bytes = 0;
  #closed = false;

  constructor({
    maxBytes = 25_000_000,
    maxWaiting = 128,
    places = defaultPlaces,
    ...options
  }: HostResolverOptions = {}) {
    const { now = () => performance.now(), timeoutMs = 1000 } = options;
    this.#now = now;
    this.#dns = new HostQueries(options);
    this.#places = { ...places, timeoutMs };
    this.#slots = new Slots(places.total);
    this.#maxBytes = maxBytes;
    this.#maxWaiting = maxWaiting;
  }

  /** Throws UNAVAILABLE when the team has reached a limit. */
  async addresses(host: string, team = ''): Promise<readonly IpAddress[]> {
    return [...(await this.resolveHost(host, team)).addresses].map(addressOf);
  }

  /** The same, with the reason why a name has no addresses. */
  async resolveHost(host: string, team: string): Promise<HostAddresses> {
    const known = this.#freshAnswer(team, host);
    if (known !== undefined) return known;
    if (!(await this.resolve(team, [host]))) throw tooManyWait();
    return this.#freshAnswer(team, host) ?? noAddresses;
  }

  /** Returns whether one of the hosts has the address; undefined when a DNS query is needed first. */
  haveAddress(team: string, hosts: readonly string[], address: IpAddress): boolean | undefined {
    const number = numberOf(address);
    let unknown = false;
    for (const host of hosts) {
      const answer = this.#freshAnswer(team, host);
      if (answer === undefined) unknown = true;
      else if (answer.addresses.has(number)) return true;
    }
    return unknown ? undefined : false;
  }

  /** Resolves when all queries have ended, successfully or not; to false when the team has reached a limit. */
  async resolve(team: string, hosts: readonly string[]): Promise<boolean> {
    if (this.#closed) return true;
    const own = this.#teamOf(team);
    const missing = hosts.filter((host) => this.#isMissing(own, host));
    const started = missing.filter((host) => !own.queries.has(host));
    if (own.waiting >= this.#maxWaiting || own.queries.size + started.length > maxQueries) return false;
    own.waiting += 1;
    const ended = await Promise.all(missing.map((host) => own.queries.get(host) ?? this.#query(team, own, host)));
    own.waiting -= 1;
    this.#forgetIdle(team, own);
    return ended.every(Boolean);
  }

  /** Queries hosts without a cached answer, up to the limit of the team. */
  prefetch(team: string, hosts: readonly string[]): void {
    if (this.#closed || hosts.length === 0) return;
    const own = this.#teamOf(team);
    for (const host of hosts) {
      if (own.queries.size >= maxQueries) return;
      if (this.#isMissing(own, host) && !own.queries.has(host)) void this.#query(team, own, host);
    }
  }

  close(): void {
    this.#closed = true;
    for (const { names } of this.#teams.values()) for (const { timer } of names.values()) clearTimeout(timer);
    this.#dns.cancel();
  }

  #teamOf(team: string): TeamNames {
    let own = this.#teams.get(team);
    if (own === undefined) {
      own = { names: new Map(), queries: new Map(), waiting: 0, bytes: 0 };
      this.#teams.set(team, own);
    }
    return own;
  }

  #isMissing({ names }: TeamNames, host: string): boolean {
    const name = names.get(host);
    return name === undefined || name.answer.freshUntilMs <= this.#now();
  }

  /** Returns the answer if it has not expired, and marks the name as used. */
  #freshAnswer(team: string, host: string): HostAnswer | undefined {
    const names = this.#teams.get(team)?.names;
    const name = names?.get(host);
    const now = this.#now();
    if (names === undefined || name === undefined || name.answer.freshUntilMs <= now) return undefined;
    name.usedAtMs = now;
    names.delete(host);
    names.set(host, name);
    return name.answer;
  }

  #query(team: string, own: TeamNames, host: string, usedAtMs = this.#now()): Promise<boolean> {
    const share = { holder: team, maxSlots: this.#places.ofTeam };
    const query = takePlace(this.#slots, share, this.#places).then(async (giveBack) => {
      const answer = giveBack === null || this.#closed ? null : await this.#dns.query(host);
      giveBack?.();
      own.queries.delete(host);
      if (answer !== null && !this.#closed) this.#keep(team, own, host, answer, usedAtMs);
      this.#forgetIdle(team, own);
      return giveBack !== null;
    });
    own.queries.set(host, query);
    return query;
  }

  #keep(team: string, own: TeamNames, host: string, latest: HostAnswer, neededAtMs: number): void {
    const earlier = own.names.get(host);
    const isEarlierFresh = earlier !== undefined && earlier.answer.freshUntilMs > this.#now();
    // A failed query does not invalidate an unexpired answer.
    const answer = latest.failed && isEarlierFresh ? earlier.answer : latest;
    const usedAtMs = Math.max(neededAtMs, earlier?.usedAtMs ?? 0);
    this.#drop(own, host);
    const freshMs = answer.freshUntilMs - this.#now();
    const timer = setTimeout(() => this.#refresh(team, own, host, freshMs), refreshShare * freshMs);
    timer.unref();
    const bytes = nameBytes + host.length + addressBytes * answer.addresses.size;
    own.names.set(host, { answer, timer, bytes, usedAtMs });
    own.bytes += bytes;
    this.#bytes += bytes;
    // The team may have been removed when its last name was dropped.
    this.#teams.set(team, own);
    while (this.#bytes > this.#maxBytes) this.#dropOldest();
  }

  #refresh(team: string, own: TeamNames, host: string, freshMs: number): void {
    const name = own.names.get(host);
    if (name === undefined || own.queries.has(host) || own.queries.size >= maxQueries) return;
    if (this.#now() - name.usedAtMs < Math.max(inUseMs, freshMs)) {
      void this.#query(team, own, host, name.usedAtMs);
    } else {
      this.#drop(own, host);
      this.#forgetIdle(team, own);
    }
  }

  #drop(own: TeamNames, host: string): void {
    const name = own.names.get(host);
    if (name === undefined) return;
    clearTimeout(name.timer);
    own.names.delete(host);
    own.bytes -= name.bytes;
    this.#bytes -= name.bytes;
  }

  /** Evicts a name of the team whose names are largest, so that a team with too many names evicts only its own. */
  #dropOldest(): void {
    let largest: [string, TeamNames] | undefined;
    for (const entry of this.#teams) {
      if (largest === undefined || entry[1].bytes > largest[1].bytes) largest = entry;
    }
    if (largest === undefined) return;
    const [team, own] = largest;
    const [oldest] = own.names.keys();
    if (oldest !== undefined) this.#drop(own, oldest);
    this.#forgetIdle(team, own);
  }

  #forgetIdle(team: string, { names, queries, waiting }: TeamNames): void {
    if (names.size === 0 && queries.size === 0 && waiting === 0) this.#teams.delete(team);
  }
}

export function tooManyWait(): LatchkeyError {
  return new LatchkeyError('UNAVAILABLE', "Too many callers wait for DNS about this team's keys; try again shortly.");
}
