import { getServers } from 'node:dns';
import { type HostAddresses, maxHostAddresses } from '../domain/source/source-match.ts';
import { type DnsServer, parseDnsServer } from '../lib/dns-server.ts';
import { type DnsAnswer, dnsQuery, type RecordType } from './dns-message.ts';
import { queryServers } from './query-servers.ts';

/** A record with TTL 0 must not cause a DNS query in every verification. */
const minTtlSeconds = 5;
/** An address must not stay allowed long after its owner gave it up. */
const maxTtlSeconds = 300;
/** A missing name or a dead server must not cause a query in every verification. */
const failureTtlSeconds = 5;

export interface HostQueriesOptions {
  /** `a.b.c.d`, `a.b.c.d:port` or `[v6]:port`. Defaults to the servers of the system. */
  readonly servers?: readonly string[];
  /** An unanswered query is repeated after half of this time, and fails after twice this time. */
  readonly timeoutMs?: number;
  /** A clock in milliseconds that never goes back. */
  readonly now?: () => number;
}

/** Without addresses when the name has none or too many, or when the query failed. */
export interface HostAnswer extends HostAddresses {
  readonly freshUntilMs: number;
  /** Whether the query failed for IPv4, IPv6 or both. */
  readonly failed: boolean;
}

type Answered = Extract<DnsAnswer, { outcome: 'answered' }>;

/**
 * Queries DNS for the addresses of an absolute host name, without /etc/hosts or search domains. Reverse names (PTR) are
 * not used, because the owner of an address can choose any name.
 */
export class HostQueries {
  readonly #servers: readonly DnsServer[];
  readonly #timeoutMs: number;
  readonly #now: () => number;
  readonly #open = new Set<() => void>();

  constructor({ servers = getServers(), timeoutMs = 1000, now = () => performance.now() }: HostQueriesOptions) {
    this.#servers = servers.map(parseDnsServer).filter((server) => server !== null);
    this.#timeoutMs = timeoutMs;
    this.#now = now;
  }

  /** Never throws. A failed query returns no addresses. */
  async query(host: string): Promise<HostAnswer> {
    const queriedMs = this.#now();
    const answers = await Promise.all([this.#query(host, 'A'), this.#query(host, 'AAAA')]);
    // Having no records is not a failure.
    const answered = answers.filter((answer): answer is Answered => answer.outcome === 'answered');
    const addresses = new Set(answered.flatMap((answer) => answer.addresses));
    const tooMany = addresses.size > maxHostAddresses || answers.some(({ outcome }) => outcome === 'too many');
    const failed = answers.some(({ outcome }) => outcome === 'failed');
    if (tooMany) addresses.clear();
    const ttls = addresses.size === 0 ? [] : answered.map(({ ttlSeconds }) => ttlSeconds);
    return { addresses, tooMany, failed, freshUntilMs: freshUntil(ttls, failed, queriedMs, this.#now()) };
  }

  cancel(): void {
    for (const end of this.#open) end();
  }

  #query(host: string, type: RecordType): Promise<DnsAnswer> {
    return new Promise((resolve) => {
      const end = queryServers(this.#servers, dnsQuery(host, type), 2 * this.#timeoutMs, (answer) => {
        this.#open.delete(end);
        resolve(answer);
      });
      this.#open.add(end);
    });
  }
}

/**
 * Returns when an answer expires. The TTL starts with the query, so that no record is used longer than its TTL.
 *
 * If the query fails for either IPv4 or IPv6, the addresses of the other family are used, because some servers drop AAAA
 * queries. Such an answer expires like a failure, because clients of the failed family are rejected until then.
 */
function freshUntil(ttls: readonly number[], failed: boolean, queriedMs: number, answeredMs: number): number {
  const failureEndsMs = answeredMs + failureTtlSeconds * 1000;
  if (ttls.length === 0) return failureEndsMs;
  const ttlSeconds = Math.max(minTtlSeconds, Math.min(maxTtlSeconds, ...ttls));
  const expiresMs = queriedMs + ttlSeconds * 1000;
  return failed ? Math.min(expiresMs, failureEndsMs) : expiresMs;
}
