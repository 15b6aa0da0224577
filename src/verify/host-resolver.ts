import { NODATA, NOTFOUND, promises, type RecordWithTtl } from 'node:dns';
import { LRUCache } from 'lru-cache';
import { type IpAddress, parseIpAddress } from '../domain/ip-address.ts';

/**
 * How long an answer is used, whatever its TTL says: below, a record with TTL 0 would put a DNS question into every
 * verification; above, an address that its owner gave away would stay allowed for as long as the owner once said.
 */
const leastTtlSeconds = 5;
const greatestTtlSeconds = 300;
/** How long no answer counts as one, so that an absent name or a dead server is not asked for every verification. */
const pauseSeconds = 5;

export interface HostResolverOptions {
  /** `a.b.c.d`, `a.b.c.d:port` or `[v6]:port`. The system's own, where there are none. */
  readonly servers?: readonly string[];
  /** A question without an answer is asked again within this time (or 0.5 s), and given up after twice as long. */
  readonly timeoutMs?: number;
  readonly maxHosts?: number;
  /** A clock in milliseconds that never goes back. */
  readonly now?: () => number;
}

/** What one question came to. An answer without records is no failure. */
interface Answer {
  readonly records: readonly RecordWithTtl[];
  readonly failed: boolean;
}

interface Entry {
  readonly addresses: readonly IpAddress[];
  readonly freshUntilMs: number;
}

const failure: Answer = { records: [], failed: true };

/**
 * The addresses of the host names in allow-lists, by forward resolution only: a reverse name (PTR) is whatever the
 * owner of the address writes there. Names are absolute, without /etc/hosts or a search domain.
 *
 * No fresh answer means no address: a server that can't be asked gives an empty list, never an error and never the
 * last answer, since who can silence DNS could otherwise keep an address allowed that has been given away.
 */
export class HostResolver {
  readonly #resolver: promises.Resolver;
  readonly #timeoutMs: number;
  readonly #now: () => number;
  readonly #entries: LRUCache<string, Entry>;
  readonly #questions = new Map<string, Promise<readonly IpAddress[]>>();
  #closed = false;

  constructor(options: HostResolverOptions = {}) {
    const { servers, timeoutMs = 1000, maxHosts = 10_000, now = () => performance.now() } = options;
    // Two tries: over UDP, one lost packet would otherwise be a refusal. Node looks for time-outs at intervals of one
    // time-out, so that the second try is sent after one to two of them.
    this.#resolver = new promises.Resolver({ timeout: Math.ceil(timeoutMs / 2), tries: 2 });
    if (servers !== undefined) this.#resolver.setServers(servers);
    this.#timeoutMs = timeoutMs;
    this.#now = now;
    this.#entries = new LRUCache({ max: maxHosts });
  }

  async addresses(host: string): Promise<readonly IpAddress[]> {
    const entry = this.#entries.get(host);
    if (entry !== undefined && this.#now() < entry.freshUntilMs) return entry.addresses;
    if (this.#closed) return [];
    let question = this.#questions.get(host);
    if (question === undefined) {
      question = this.#ask(host).finally(() => this.#questions.delete(host));
      this.#questions.set(host, question);
    }
    return question;
  }

  /** Questions still open end at once, without an answer, and no new ones are asked. */
  close(): void {
    this.#closed = true;
    this.#resolver.cancel();
  }

  async #ask(host: string): Promise<readonly IpAddress[]> {
    const askedMs = this.#now();
    const answers = await this.#answersInTime([
      answerOf(this.#resolver.resolve4(host, { ttl: true })),
      answerOf(this.#resolver.resolve6(host, { ttl: true })),
    ]);
    const records = answers.flatMap((answer) => answer.records);
    const addresses = records.map(({ address }) => parseIpAddress(address)).filter((address) => address !== null);
    this.#entries.set(host, { addresses, freshUntilMs: freshUntil(answers, askedMs, this.#now()) });
    return addresses;
  }

  /** The resolver tries each of its servers in turn, and waits longer each time: that has no useful upper bound. */
  async #answersInTime(answers: readonly Promise<Answer>[]): Promise<readonly Answer[]> {
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<Answer>((resolve) => {
      timer = setTimeout(resolve, 2 * this.#timeoutMs, failure);
    });
    try {
      return await Promise.all(answers.map((answer) => Promise.race([answer, deadline])));
    } finally {
      clearTimeout(timer);
    }
  }
}

async function answerOf(question: Promise<readonly RecordWithTtl[]>): Promise<Answer> {
  try {
    return { records: await question, failed: false };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code === NODATA || code === NOTFOUND ? { records: [], failed: false } : failure;
  }
}

/**
 * Records count from the moment of asking, so that they are never used for longer than their TTL allows.
 *
 * Where one family answers and the other fails, what answered is used: it is as true as with the other beside it, and
 * a server that drops AAAA questions should not refuse everyone. But only for the pause, since callers of the family
 * that failed are being refused meanwhile. A family without records is no failure: most hosts have no AAAA record.
 */
function freshUntil(answers: readonly Answer[], askedMs: number, answeredMs: number): number {
  const pauseEndsMs = answeredMs + pauseSeconds * 1000;
  const ttls = answers.flatMap((answer) => answer.records).map((record) => record.ttl);
  if (ttls.length === 0) return pauseEndsMs;
  const ttlSeconds = Math.max(leastTtlSeconds, Math.min(greatestTtlSeconds, ...ttls));
  const expiresMs = askedMs + ttlSeconds * 1000;
  return answers.some((answer) => answer.failed) ? Math.min(expiresMs, pauseEndsMs) : expiresMs;
}
