/** The verification ports that an edge uses: one port until it fails, then the next port. */
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
  /** The time in which a message must have an answer, for all attempts together. */
  readonly timeoutMs: number;
}

export interface Message<Answer> {
  readonly path: Path;
  readonly body: object;
  /** Texts that no error message may contain. */
  readonly secrets: readonly string[];
  readonly limitBytes: number;
  /** Returns null for an invalid answer. The next upstream is then tried. */
  readonly parse: (value: unknown) => Answer | null;
  /** The timeout of each attempt. Default: an equal share of the time for all upstreams. */
  readonly timeoutMs?: number;
}

type Path = 'feed' | 'feed/reports';
type Use = Path | 'verify';

/** How many verifications of a team may wait for the service: as many as may wait there for DNS. */
export const maxForwardsPerTeam = 128;
const maxVerifySockets = 4 * maxForwardsPerTeam;

interface Upstream {
  readonly endpoint: Endpoint;
  /** The feed has its own connection to one process, because with SQLite no other process knows the cursor. */
  readonly feed: FeedConnection;
  readonly reports: Connection & { readonly agent: HttpAgent };
  /** Gets the verdicts that only the service can decide on. */
  readonly verifier: Verifier;
}

export class Upstreams {
  readonly #upstreams: readonly Upstream[];
  /** The timeout of one attempt. All attempts leave a tenth of `timeoutMs` for the decision. */
  readonly #attemptMs: number;
  readonly #attempts = new Attempts();
  /** Separate for each use: a slow verification or failed report does not move the feed to another upstream. */
  readonly #current: Record<Use, number> = { feed: 0, 'feed/reports': 0, verify: 0 };

  /** @throws TypeError or RangeError for invalid options */
  constructor({ urls, token, timeoutMs }: UpstreamsOptions) {
    if (urls.length === 0) throw new TypeError('at least one url is needed');
    const attemptMs = (timeoutMs * 0.9) / urls.length;
    this.#upstreams = urls.map((url) => {
      const endpoint = endpointOf({ url, token, timeoutMs });
      const { headers } = endpoint;
      // Resolves `feed` to the URL `…/v1/feed`.
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

  /** Resolves to the answer of the first upstream that answers. The message may arrive more than once. */
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

  /** Gets a verdict from the service. Sends a signed request only once, because its nonce may have been recorded. */
  async verify(verification: Verification): Promise<Verdict> {
    const verify = ({ verifier }: Upstream) => verifier.verify(verification);
    const { request } = verification;
    if (request === undefined || !isSigned(request.headers)) return await this.#first('verify', verify);
    const upstream = this.#upstreams[this.#current.verify];
    if (upstream === undefined) throw new RangeError('there is no upstream');
    try {
      return await verify(upstream);
    } catch (error) {
      // Skips an upstream only if it does not answer: an answer such as 429 may concern only one team.
      if (error instanceof VerifierUnavailableError && error.status === null) this.#skip('verify', upstream);
      throw error;
    }
  }

  /** Selects the next upstream, unless another message already has. */
  #skip(use: Use, failed: Upstream): void {
    const index = this.#current[use];
    if (this.#upstreams[index] === failed) this.#current[use] = (index + 1) % this.#upstreams.length;
  }

  /** Ends pending and later verifications with an error. Messages can still be posted. */
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

  /** Tries the upstreams in turn, starting with the one that answered last. */
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
        // Rejected calls go on to the next upstream too, because its configuration may differ.
        if (i === 0 || usefulness(error, use) >= usefulness(failure, use)) failure = error;
        if (error instanceof TimeoutError && use === 'feed/reports') {
          // This upstream may still write the counts, so no other upstream may get the counts now.
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

/** Thrown when an attempt has timed out. The upstream may still process the message. */
class TimeoutError extends VerifierUnavailableError {}

function answered(reply: Reply, origin: string): VerifierAnswer {
  if (reply.outcome === 'answered') return reply;
  const error = unavailable(origin, reply.reason);
  throw reply.outcome === 'aborted' ? new TimeoutError(error.message) : error;
}

/** Ranks the failures of several upstreams. An answer tells the caller more than a lost connection. */
function usefulness(error: unknown, use: Use): number {
  // Ranks a rejected report last, because it would be dropped. After any other failure, it is sent again.
  if (error instanceof VerifierRejectedError) return use === 'feed/reports' ? 0 : 3;
  const status = error instanceof VerifierUnavailableError ? error.status : null;
  if (status === 503 || status === 429) return 2;
  return 1;
}
