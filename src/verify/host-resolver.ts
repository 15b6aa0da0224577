import { LatchkeyError } from '../domain/errors.ts';
import { type IpAddress, isSameAddress } from '../domain/ip-address.ts';
import { type HostAnswer, HostQuestions, type HostQuestionsOptions } from './host-questions.ts';

export interface HostResolverOptions extends HostQuestionsOptions {
  /** How many names are kept, of all teams. */
  readonly maxHosts?: number;
  /** How many callers of one team may wait for DNS at once. */
  readonly maxWaiting?: number;
}

/** How many names of one team are asked for at once: more than one allow-list can have. */
const maxQuestions = 256;
/** A name is asked for again before its answer ends, after this share of the time, … */
const refreshShare = 0.8;
/** … as long as it was used since its last answer or within this time. */
const inUseMs = 60_000;

interface Name {
  readonly answer: HostAnswer;
  readonly timer: NodeJS.Timeout;
  usedAtMs: number;
}

/** What one team has: no team's names can push out, delay or reveal another's. */
interface TeamNames {
  /** The one used least recently comes first. */
  readonly names: Map<string, Name>;
  readonly questions: Map<string, Promise<void>>;
  waiting: number;
}

/**
 * The addresses of the host names in allow-lists. Names in use are asked for again before their answer ends, so that
 * verifications seldom wait.
 *
 * Without an unexpired answer a name has no address: a server that can't be asked gives an empty list, never an error
 * and never the last answer, since an attacker who can silence DNS could otherwise keep an address allowed that has
 * been given away.
 */
export class HostResolver {
  readonly #dns: HostQuestions;
  readonly #now: () => number;
  readonly #maxHosts: number;
  readonly #maxWaiting: number;
  readonly #teams = new Map<string, TeamNames>();
  #size = 0;
  #closed = false;

  constructor({ maxHosts = 20_000, maxWaiting = 128, ...options }: HostResolverOptions = {}) {
    this.#now = options.now ?? (() => performance.now());
    this.#dns = new HostQuestions(options);
    this.#maxHosts = maxHosts;
    this.#maxWaiting = maxWaiting;
  }

  /** The addresses of one host. Throws UNAVAILABLE where too many callers of the team wait already. */
  async addresses(host: string, team = ''): Promise<readonly IpAddress[]> {
    const known = this.#freshAnswer(team, host);
    if (known !== undefined) return known.addresses;
    const resolved = this.resolve(team, [host]);
    if (resolved === null) throw tooManyWait();
    await resolved;
    return this.#freshAnswer(team, host)?.addresses ?? [];
  }

  /** Whether one of the hosts has the address; undefined where that can't be said without waiting for DNS. */
  haveAddress(team: string, hosts: readonly string[], address: IpAddress): boolean | undefined {
    let unknown = false;
    for (const host of hosts) {
      const answer = this.#freshAnswer(team, host);
      if (answer === undefined) unknown = true;
      else if (answer.addresses.some((one) => isSameAddress(one, address))) return true;
    }
    return unknown ? undefined : false;
  }

  /** Resolves when the hosts have an answer, for better or worse. Null where the team's budget is used up. */
  resolve(team: string, hosts: readonly string[]): Promise<unknown> | null {
    if (this.#closed) return Promise.resolve();
    const own = this.#teamOf(team);
    const missing = hosts.filter((host) => this.#isMissing(own, host));
    const started = missing.filter((host) => !own.questions.has(host));
    if (own.waiting >= this.#maxWaiting || own.questions.size + started.length > maxQuestions) return null;
    own.waiting += 1;
    return Promise.all(missing.map((host) => own.questions.get(host) ?? this.#ask(team, own, host))).finally(() => {
      own.waiting -= 1;
      this.#forgetIdle(team, own);
    });
  }

  /** Asks for what is not known yet, as far as the team's budget goes. */
  prefetch(team: string, hosts: readonly string[]): void {
    if (this.#closed || hosts.length === 0) return;
    const own = this.#teamOf(team);
    for (const host of hosts) {
      if (own.questions.size >= maxQuestions) return;
      if (this.#isMissing(own, host) && !own.questions.has(host)) void this.#ask(team, own, host);
    }
  }

  /** Questions still open end at once, without an answer, and no new ones are asked. */
  close(): void {
    this.#closed = true;
    for (const { names } of this.#teams.values()) for (const { timer } of names.values()) clearTimeout(timer);
    this.#dns.cancel();
  }

  #teamOf(team: string): TeamNames {
    let own = this.#teams.get(team);
    if (own === undefined) {
      own = { names: new Map(), questions: new Map(), waiting: 0 };
      this.#teams.set(team, own);
    }
    return own;
  }

  #isMissing({ names }: TeamNames, host: string): boolean {
    const name = names.get(host);
    return name === undefined || name.answer.freshUntilMs <= this.#now();
  }

  /** Marks the name as used. */
  #freshAnswer(team: string, host: string): HostAnswer | undefined {
    const names = this.#teams.get(team)?.names;
    const name = names?.get(host);
    if (names === undefined || name === undefined) return undefined;
    const now = this.#now();
    if (name.answer.freshUntilMs <= now) return undefined;
    name.usedAtMs = now;
    names.delete(host);
    names.set(host, name);
    return name.answer;
  }

  async #ask(team: string, own: TeamNames, host: string, usedAtMs = this.#now()): Promise<void> {
    const question = this.#dns.ask(host).then((answer) => {
      own.questions.delete(host);
      if (!this.#closed) this.#keep(team, own, host, answer, usedAtMs);
    });
    own.questions.set(host, question);
    await question;
  }

  #keep(team: string, own: TeamNames, host: string, latest: HostAnswer, askedForMs: number): void {
    const earlier = own.names.get(host);
    const isEarlierFresh = earlier !== undefined && earlier.answer.freshUntilMs > this.#now();
    // A failure says nothing about an answer whose time is not over.
    const answer = latest.failed && isEarlierFresh ? earlier.answer : latest;
    const usedAtMs = Math.max(askedForMs, earlier?.usedAtMs ?? 0);
    this.#drop(own, host);
    if (this.#size >= this.#maxHosts) this.#dropOldest();
    const freshMs = answer.freshUntilMs - this.#now();
    const timer = setTimeout(() => this.#refresh(team, own, host, freshMs), refreshShare * freshMs);
    timer.unref();
    own.names.set(host, { answer, timer, usedAtMs });
    this.#size += 1;
    // It may have been forgotten a moment ago, when its last name was dropped.
    this.#teams.set(team, own);
  }

  #refresh(team: string, own: TeamNames, host: string, freshMs: number): void {
    const name = own.names.get(host);
    if (name === undefined || own.questions.has(host) || own.questions.size >= maxQuestions) return;
    if (this.#now() - name.usedAtMs < Math.max(inUseMs, freshMs)) {
      void this.#ask(team, own, host, name.usedAtMs);
    } else {
      this.#drop(own, host);
      this.#forgetIdle(team, own);
    }
  }

  #drop({ names }: TeamNames, host: string): void {
    const name = names.get(host);
    if (name === undefined) return;
    clearTimeout(name.timer);
    names.delete(host);
    this.#size -= 1;
  }

  /** Of the team that has most, so that a team with too many names pays for them itself. */
  #dropOldest(): void {
    let largest: [string, TeamNames] | undefined;
    for (const entry of this.#teams) {
      if (largest === undefined || entry[1].names.size > largest[1].names.size) largest = entry;
    }
    if (largest === undefined) return;
    const [team, own] = largest;
    const [oldest] = own.names.keys();
    if (oldest !== undefined) this.#drop(own, oldest);
    this.#forgetIdle(team, own);
  }

  #forgetIdle(team: string, { names, questions, waiting }: TeamNames): void {
    if (names.size === 0 && questions.size === 0 && waiting === 0) this.#teams.delete(team);
  }
}

export function tooManyWait(): LatchkeyError {
  return new LatchkeyError('UNAVAILABLE', "Too many callers wait for DNS about this team's keys; try again shortly.");
}
