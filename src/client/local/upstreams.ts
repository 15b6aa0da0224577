/** The verification ports that an edge uses. One of them is used until it fails, then the next one. */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { type Endpoint, endpointOf } from '../endpoint.ts';
import { Attempts, type Connection, closedReason, exchangeIdempotent, type Reply } from '../exchange.ts';
import {
  bodyOf,
  unavailable,
  type Verdict,
  type VerifierAnswer,
  VerifierRejectedError,
  VerifierUnavailableError,
} from '../verdict.ts';
import { isSigned, type Verification } from '../verification.ts';
import { createVerifier, idleSocketMs, type Verifier } from '../verify.ts';
import { FeedConnection } from './feed-connection.ts';

export interface UpstreamsOptions {
  readonly urls: readonly (string | URL)[];
  /** One of the service's FEED_TOKENS. */
  readonly token: string | undefined;
  /** The time in which one of the upstreams must answer. */
  readonly timeoutMs: number;
}

export interface Message<Answer> {
  readonly path: Path;
  readonly body: object;
  /** What must never be part of an error message. */
  readonly secrets: readonly string[];
  /** The maximum size of the answer. */
  readonly limitBytes: number;
  /** Returns null for what is not an answer. The next upstream is tried then. */
  readonly parse: (value: unknown) => Answer | null;
  /** Default: a share of the time for all upstreams. */
  readonly timeoutMs?: number;
}

type Path = 'feed' | 'feed/reports';
type Use = Path | 'verify';

/** How many verifications of one team may wait for the service. As many may wait for DNS in a verification process. */
export const maxForwardsPerTeam = 128;
const maxVerifySockets = 4 * maxForwardsPerTeam;

interface Upstream {
  readonly endpoint: Endpoint;
  /** On a connection of its own: on SQLite, another process of the service would not know the cursor. */
  readonly feed: FeedConnection;
  readonly reports: Connection & { readonly agent: HttpAgent };
  /** For what only the service can decide. */
  readonly verifier: Verifier;
}

export class Upstreams {
  readonly #upstreams: readonly Upstream[];
  /** Leaves a tenth of the time for the decision after the last attempt. */
  readonly #attemptMs: number;
  readonly #attempts = new Attempts();
  /** For each use: a verification that waits for DNS, or a failed report, must not move the feed to another upstream. */
  readonly #current: Record<Use, number> = { feed: 0, 'feed/reports': 0, verify: 0 };

  /** @throws TypeError or RangeError for invalid options */
  constructor({ urls, token, timeoutMs }: UpstreamsOptions) {
    if (urls.length === 0) throw new TypeError('at least one url is needed');
    const attemptMs = (timeoutMs * 0.9) / urls.length;
    this.#upstreams = urls.map((url) => {
      const endpoint = endpointOf({ url, token, timeoutMs });
      const { headers } = endpoint;
      // Beside `v1/verify`.
      const at = (path: string) => new URL(path, endpoint.url);
      const Agent = endpoint.url.protocol === 'https:' ? HttpsAgent : HttpAgent;
      const agent = () => new Agent({ keepAlive: true, timeout: idleSocketMs });
      return {
        endpoint,
        feed: new FeedConnection({
          url: at('feed'),
          streamUrl: at('feed/stream'),
          headers,
          agent: agent(),
          trialMs: attemptMs / 3,
        }),
        reports: { url: at('feed/reports'), headers, agent: agent() },
        verifier: createVerifier({ url, token, timeoutMs: attemptMs, maxSockets: maxVerifySockets }),
      };
    });
    this.#attemptMs = attemptMs;
  }

  /** Resolves to the answer of the first upstream that has one. The message may arrive more than once. */
  async post<Answer>(message: Message<Answer>): Promise<Answer> {
    const body = Buffer.from(JSON.stringify(message.body));
    const outgoing = { body, limitBytes: message.limitBytes };
    return await this.#first(message.path, async ({ endpoint, feed, reports }) => {
      const reply = await this.#attempts.run(message.timeoutMs ?? this.#attemptMs, (signal) =>
        message.path === 'feed' ? feed.send(outgoing, signal) : exchangeIdempotent(reports, outgoing, signal),
      );
      const { origin, token } = endpoint;
      const answer = message.parse(bodyOf(answered(reply, origin), { origin, secrets: [...message.secrets, token] }));
      if (answer === null) throw unavailable(origin, 'its answer is not one of the feed');
      return answer;
    });
  }

  /** Requests a verdict of the service. A signed request is sent once: its nonce may have been recorded. */
  async verify(verification: Verification): Promise<Verdict> {
    const verify = ({ verifier }: Upstream) => verifier.verify(verification);
    const { request } = verification;
    if (request === undefined || !isSigned(request.headers)) return await this.#first('verify', verify);
    const upstream = this.#upstreams[this.#current.verify];
    if (upstream === undefined) throw new RangeError('there is no upstream');
    try {
      return await verify(upstream);
    } catch (error) {
      // The next requests must not wait for an upstream that is down. One that answers stays in use: perhaps only one
      // team has too many requests.
      if (error instanceof VerifierUnavailableError && error.status === null) this.#skip('verify', upstream);
      throw error;
    }
  }

  /** The next message goes to the next upstream. */
  #skip(use: Use, failed: Upstream): void {
    const index = this.#current[use];
    if (this.#upstreams[index] === failed) this.#current[use] = (index + 1) % this.#upstreams.length;
  }

  /** Pending and later verifications fail. Messages can still be posted. */
  endVerifications(): void {
    for (const { verifier } of this.#upstreams) verifier.close();
  }

  /** Ends all connections. Pending and later messages fail. */
  close(): void {
    this.endVerifications();
    this.#attempts.close();
    for (const { feed, reports } of this.#upstreams) {
      feed.close();
      reports.agent.destroy();
    }
  }

  /** Starts with the upstream that answered last. */
  async #first<Answer>(use: Use, send: (upstream: Upstream) => Promise<Answer>): Promise<Answer> {
    const start = this.#current[use];
    let failure: unknown;
    for (let i = 0; i < this.#upstreams.length; i += 1) {
      const index = (start + i) % this.#upstreams.length;
      const upstream = this.#upstreams[index];
      if (upstream === undefined) break;
      try {
        const answer = await send(upstream);
        this.#current[use] = index;
        return answer;
      } catch (error) {
        // Also when the call is rejected: this upstream may have another configuration than the others.
        if (i === 0 || usefulness(error, use) >= usefulness(failure, use)) failure = error;
        if (error instanceof TimeoutError && use === 'feed/reports') {
          // It may still write the counts, so that no other upstream must get the same ones now.
          this.#skip(use, upstream);
          break;
        }
      }
    }
    throw failure;
  }
}

export function closed(): Error {
  return new VerifierUnavailableError(`There is no answer: ${closedReason}`);
}

/** The upstream may still carry out what it was sent. */
class TimeoutError extends VerifierUnavailableError {}

function answered(reply: Reply, origin: string): VerifierAnswer {
  if (reply.outcome === 'answered') return reply;
  const error = unavailable(origin, reply.reason);
  throw reply.outcome === 'aborted' ? new TimeoutError(error.message) : error;
}

/** Ranks the failures of several upstreams. An answer tells the caller more than a lost connection. */
function usefulness(error: unknown, use: Use): number {
  // A report is dropped when it is rejected. Another upstream may accept it later.
  if (error instanceof VerifierRejectedError) return use === 'feed/reports' ? 0 : 3;
  const status = error instanceof VerifierUnavailableError ? error.status : null;
  if (status === 503 || status === 429) return 2;
  return 1;
}
