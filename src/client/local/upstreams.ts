/** The verification ports that an edge uses: one port until it fails, then the next port. */
import * as http from 'node:http';
import * as https from 'node:https';
import { type Connection, closedReason, idleSocketMs, PendingRequests, postIdempotent, type Reply } from '../post.ts';
import { bodyOf, unavailable, type Verdict, type VerifierAnswer, VerifierUnavailableError } from '../verdict.ts';
import { isSigned, type Verification } from '../verification.ts';
import { type VerificationPort, verificationPortOf } from '../verification-port.ts';
import { createVerifier, type Verifier } from '../verify.ts';
import { Failover, TimeoutError, type UpstreamPath } from './failover.ts';
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

type Path = Exclude<UpstreamPath, 'verify'>;

/** How many verifications of a team may wait for the service: as many as may wait there for DNS. */
export const maxForwardsPerTeam = 128;
const maxVerifySockets = 4 * maxForwardsPerTeam;

interface Upstream {
  readonly endpoint: VerificationPort;
  /** The feed has its own connection to one process, because with SQLite no other process knows the cursor. */
  readonly feed: FeedConnection;
  readonly reports: Connection & { readonly agent: http.Agent };
  /** Gets the verdicts that only the service can decide on. */
  readonly verifier: Verifier;
}

export class Upstreams {
  readonly #upstreams: readonly Upstream[];
  /** The timeout of one attempt. All attempts leave a tenth of `timeoutMs` for the decision. */
  readonly #attemptMs: number;
  readonly #pending = new PendingRequests();
  readonly #failover: Failover<Upstream>;

  /** @throws TypeError or RangeError for invalid options */
  constructor({ urls, token, timeoutMs }: UpstreamsOptions) {
    if (urls.length === 0) throw new TypeError('at least one url is needed');
    const attemptMs = (timeoutMs * 0.9) / urls.length;
    this.#upstreams = urls.map((url) => {
      const endpoint = verificationPortOf({ url, token, timeoutMs });
      const { headers } = endpoint;
      // Resolves `feed` to the URL `…/v1/feed`.
      const at = (path: string) => new URL(path, endpoint.url);
      const { Agent, request } = endpoint.url.protocol === 'https:' ? https : http;
      const agent = () => new Agent({ keepAlive: true, timeout: idleSocketMs });
      return {
        endpoint,
        feed: new FeedConnection({
          url: at('feed'),
          streamUrl: at('feed/stream'),
          headers,
          request,
          agent: agent(),
          trialMs: attemptMs / 3,
        }),
        reports: { url: at('feed/reports'), headers, request, agent: agent() },
        verifier: createVerifier({ url, token, timeoutMs: attemptMs, maxSockets: maxVerifySockets }),
      };
    });
    this.#failover = new Failover(this.#upstreams);
    this.#attemptMs = attemptMs;
  }

  /** Resolves to the answer of the first upstream that answers. The message may arrive more than once. */
  async post<Answer>(message: Message<Answer>): Promise<Answer> {
    const body = Buffer.from(JSON.stringify(message.body));
    const outgoing = { body, limitBytes: message.limitBytes };
    return await this.#failover.first(message.path, async ({ endpoint, feed, reports }) => {
      const reply = await this.#pending.run(message.timeoutMs ?? this.#attemptMs, (signal) =>
        message.path === 'feed' ? feed.send(outgoing, signal) : postIdempotent(reports, outgoing, signal),
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
    if (request === undefined || !isSigned(request.headers)) return await this.#failover.first('verify', verify);
    return await this.#failover.once('verify', verify);
  }

  /** Ends pending and later verifications with an error. Messages can still be posted. */
  endVerifications(): void {
    for (const { verifier } of this.#upstreams) verifier.close();
  }

  /** Ends all connections. Pending and later messages fail. */
  close(): void {
    this.endVerifications();
    this.#pending.close();
    for (const { feed, reports } of this.#upstreams) {
      feed.close();
      reports.agent.destroy();
    }
  }
}

export function closed(): Error {
  return new VerifierUnavailableError(`There is no answer: ${closedReason}`);
}

function answered(reply: Reply, origin: string): VerifierAnswer {
  if (reply.outcome === 'answered') return reply;
  const error = unavailable(origin, reply.reason);
  throw reply.outcome === 'aborted' ? new TimeoutError(error.message) : error;
}
