import { NODATA, NOTFOUND, promises, type RecordWithTtl } from 'node:dns';
import { type IpAddress, parseIpAddress } from '../domain/ip-address.ts';

/**
 * How long an answer is used, whatever its TTL says: below, a record with TTL 0 would put a DNS question into every
 * verification; above, an address that its owner gave away would stay allowed for as long as the owner once said.
 */
const minTtlSeconds = 5;
const maxTtlSeconds = 300;
/** How long a failure is used as an answer, so that an absent name or a dead server is not asked for every verification. */
const failureTtlSeconds = 5;

export interface HostQuestionsOptions {
  /** `a.b.c.d`, `a.b.c.d:port` or `[v6]:port`. The system's own, where there are none. */
  readonly servers?: readonly string[];
  /** A question without an answer is asked again within this time (or 0.5 s), and given up after twice as long. */
  readonly timeoutMs?: number;
  /** A clock in milliseconds that never goes back. */
  readonly now?: () => number;
}

export interface HostAnswer {
  /** Empty where the name has none, and where the server could not be asked. */
  readonly addresses: readonly IpAddress[];
  readonly freshUntilMs: number;
  /** Whether a question stayed without an answer, for one family of addresses or both. */
  readonly failed: boolean;
}

/** What one question came to. An answer without records is no failure. */
interface Answer {
  readonly records: readonly RecordWithTtl[];
  readonly failed: boolean;
}

const failure: Answer = { records: [], failed: true };

/**
 * Asks DNS for the addresses of a host name, by forward resolution only: a reverse name (PTR) is whatever the owner of
 * the address writes there. Names are absolute, without /etc/hosts or a search domain.
 */
export class HostQuestions {
  readonly #resolver: promises.Resolver;
  readonly #timeoutMs: number;
  readonly #now: () => number;

  constructor({ servers, timeoutMs = 1000, now = () => performance.now() }: HostQuestionsOptions) {
    // Two tries: over UDP, one lost packet would otherwise be a rejection. Node looks for timeouts at intervals of one
    // timeout, so that the second try is sent after one to two of them.
    this.#resolver = new promises.Resolver({ timeout: Math.ceil(timeoutMs / 2), tries: 2 });
    if (servers !== undefined) this.#resolver.setServers(servers);
    this.#timeoutMs = timeoutMs;
    this.#now = now;
  }

  /** Never throws: a server that can't be asked gives no addresses. */
  async ask(host: string): Promise<HostAnswer> {
    const askedMs = this.#now();
    const answers = await this.#answersInTime([
      answerOf(this.#resolver.resolve4(host, { ttl: true })),
      answerOf(this.#resolver.resolve6(host, { ttl: true })),
    ]);
    const records = answers.flatMap((answer) => answer.records);
    const addresses = records.map(({ address }) => parseIpAddress(address)).filter((address) => address !== null);
    const failed = answers.some((answer) => answer.failed);
    return { addresses, freshUntilMs: freshUntil(answers, askedMs, this.#now()), failed };
  }

  /** Questions still open end at once, without an answer. */
  cancel(): void {
    this.#resolver.cancel();
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
 * a server that drops AAAA questions should not reject everyone. But only for as long as a failure, since callers of the
 * family that failed are being rejected meanwhile. A family without records is no failure: most hosts have no AAAA
 * record.
 */
function freshUntil(answers: readonly Answer[], askedMs: number, answeredMs: number): number {
  const failureEndsMs = answeredMs + failureTtlSeconds * 1000;
  const ttls = answers.flatMap((answer) => answer.records).map((record) => record.ttl);
  if (ttls.length === 0) return failureEndsMs;
  const ttlSeconds = Math.max(minTtlSeconds, Math.min(maxTtlSeconds, ...ttls));
  const expiresMs = askedMs + ttlSeconds * 1000;
  return answers.some((answer) => answer.failed) ? Math.min(expiresMs, failureEndsMs) : expiresMs;
}
