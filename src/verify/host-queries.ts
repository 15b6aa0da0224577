import { NODATA, NOTFOUND, promises, type RecordWithTtl } from 'node:dns';
import { type IpAddress, parseIpAddress } from '../domain/source/ip-address.ts';
import { withTimeout } from '../lib/timeout.ts';

/** A record with TTL 0 must not cause a DNS query in every verification. */
const minTtlSeconds = 5;
/** An address must not stay allowed long after its owner gave it up. */
const maxTtlSeconds = 300;
/** A missing name or a dead server must not cause a query in every verification. */
const failureTtlSeconds = 5;

export interface HostQueriesOptions {
  /** `a.b.c.d`, `a.b.c.d:port` or `[v6]:port`. Defaults to the servers of the system. */
  readonly servers?: readonly string[];
  /** An unanswered query is repeated within this time (at least 0.5 s), and fails after twice this time. */
  readonly timeoutMs?: number;
  /** A clock in milliseconds that never goes back. */
  readonly now?: () => number;
}

export interface HostAnswer {
  /** Empty when the name has no address, or when the query failed. */
  readonly addresses: readonly IpAddress[];
  readonly freshUntilMs: number;
  /** Whether the query failed for IPv4, IPv6 or both. */
  readonly failed: boolean;
}

/** The answer for IPv4 or IPv6. Having no records is not a failure. */
interface Answer {
  readonly records: readonly RecordWithTtl[];
  readonly failed: boolean;
}

const failure: Answer = { records: [], failed: true };

/**
 * Queries DNS for the addresses of an absolute host name, without /etc/hosts or search domains. Reverse names (PTR) are
 * not used, because the owner of an address can choose any name.
 */
export class HostQueries {
  readonly #resolver: promises.Resolver;
  readonly #timeoutMs: number;
  readonly #now: () => number;

  constructor({ servers, timeoutMs = 1000, now = () => performance.now() }: HostQueriesOptions) {
    // Two tries, because one lost UDP packet must not reject a request. Node repeats a query after one to two timeouts.
    this.#resolver = new promises.Resolver({ timeout: Math.ceil(timeoutMs / 2), tries: 2 });
    if (servers !== undefined) this.#resolver.setServers(servers);
    this.#timeoutMs = timeoutMs;
    this.#now = now;
  }

  /** Never throws. A failed query returns no addresses. */
  async query(host: string): Promise<HostAnswer> {
    const queriedMs = this.#now();
    // Limits the total time, because the resolver tries all servers with growing timeouts.
    const inTime = (answer: Promise<Answer>) => withTimeout(answer, 2 * this.#timeoutMs, failure);
    const answers = await Promise.all([
      inTime(answerOf(this.#resolver.resolve4(host, { ttl: true }))),
      inTime(answerOf(this.#resolver.resolve6(host, { ttl: true }))),
    ]);
    const records = answers.flatMap((answer) => answer.records);
    const addresses = records.map(({ address }) => parseIpAddress(address)).filter((address) => address !== null);
    const failed = answers.some((answer) => answer.failed);
    return { addresses, freshUntilMs: freshUntil(answers, queriedMs, this.#now()), failed };
  }

  cancel(): void {
    this.#resolver.cancel();
  }
}

async function answerOf(query: Promise<readonly RecordWithTtl[]>): Promise<Answer> {
  try {
    return { records: await query, failed: false };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code === NODATA || code === NOTFOUND ? { records: [], failed: false } : failure;
  }
}

/**
 * Returns when an answer expires. The TTL starts with the query, so that no record is used longer than its TTL.
 *
 * If the query fails for either IPv4 or IPv6, the addresses of the other family are used, because some servers drop AAAA
 * queries. Such an answer expires like a failure, because clients of the failed family are rejected until then.
 */
function freshUntil(answers: readonly Answer[], queriedMs: number, answeredMs: number): number {
  const failureEndsMs = answeredMs + failureTtlSeconds * 1000;
  const ttls = answers.flatMap((answer) => answer.records).map((record) => record.ttl);
  if (ttls.length === 0) return failureEndsMs;
  const ttlSeconds = Math.max(minTtlSeconds, Math.min(maxTtlSeconds, ...ttls));
  const expiresMs = queriedMs + ttlSeconds * 1000;
  return answers.some((answer) => answer.failed) ? Math.min(expiresMs, failureEndsMs) : expiresMs;
}
