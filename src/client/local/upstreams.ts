/** The verification ports that an edge asks. One of them is used until it fails, then the next one. */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { type Endpoint, endpointOf } from '../endpoint.ts';
import { exchange, type Reply } from '../exchange.ts';
import { bodyOf, unavailable, type Verdict, type VerifierAnswer, VerifierUnavailableError } from '../verdict.ts';
import { isSigned, type Verification } from '../verification.ts';
import { createVerifier, idleSocketMs, type Verifier } from '../verify.ts';

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
  /** Returns null for what is not an answer. Then the next upstream is asked. */
  readonly parse: (value: unknown) => Answer | null;
  /** Default: a share of the time for all upstreams. */
  readonly timeoutMs?: number;
}

type Path = 'feed' | 'feed/reports';

interface Upstream {
  readonly endpoint: Endpoint;
  readonly urls: Readonly<Record<Path, URL>>;
  /**
   * Questions have a connection of their own. A report in between could otherwise move them to another process of the
   * service, which on SQLite does not know the cursor.
   */
  readonly agents: Readonly<Record<Path, HttpAgent>>;
  /** For what only the service can decide. */
  readonly verifier: Verifier;
}

export class Upstreams {
  readonly #upstreams: readonly Upstream[];
  /** Leaves a tenth of the time for the decision after the last attempt. */
  readonly #attemptMs: number;
  readonly #pending = new Set<AbortController>();
  #current = 0;

  /** @throws TypeError or RangeError for invalid options */
  constructor({ urls, token, timeoutMs }: UpstreamsOptions) {
    if (urls.length === 0) throw new TypeError('url must be at least one');
    const attemptMs = (timeoutMs * 0.9) / urls.length;
    this.#upstreams = urls.map((url) => {
      const endpoint = endpointOf({ url, token, timeoutMs });
      const Agent = endpoint.url.protocol === 'https:' ? HttpsAgent : HttpAgent;
      const agent = () => new Agent({ keepAlive: true, timeout: idleSocketMs });
      const verifier = createVerifier({ url, token, timeoutMs: attemptMs });
      const agents = { feed: agent(), 'feed/reports': agent() };
      return { endpoint, urls: urlsOf(endpoint), agents, verifier };
    });
    this.#attemptMs = attemptMs;
  }

  /**
   * Resolves to the answer of the first upstream that has one. The message must have no effect if it is sent twice.
   *
   * @throws (as rejections) VerifierUnavailableError when none answers, VerifierRejectedError for an error of the caller
   */
  async post<Answer>(message: Message<Answer>): Promise<Answer> {
    const body = Buffer.from(JSON.stringify(message.body));
    return await this.#first(async ({ endpoint, urls, agents }) => {
      const connection = { url: urls[message.path], headers: endpoint.headers };
      const outgoing = { body, limitBytes: message.limitBytes };
      const reply = await this.#withTimeout(message.timeoutMs ?? this.#attemptMs, async (signal) => {
        const first = await exchange({ ...connection, agent: agents[message.path] }, outgoing, signal);
        return first.outcome === 'stale' ? exchange({ ...connection, agent: false }, outgoing, signal) : first;
      });
      const { origin, token } = endpoint;
      const answer = message.parse(bodyOf(answered(reply, origin), { origin, secrets: [...message.secrets, token] }));
      if (answer === null) throw unavailable(origin, 'its answer is not one of the feed');
      return answer;
    });
  }

  /** Asks for a verdict of the service. A signed request is sent once: its nonce may have been recorded. */
  async verify(verification: Verification): Promise<Verdict> {
    const ask = ({ verifier }: Upstream) => verifier.verify(verification);
    const { request } = verification;
    if (request === undefined || !isSigned(request.headers)) return await this.#first(ask);
    const upstream = this.#upstreams[this.#current];
    if (upstream === undefined) throw new RangeError('there is no upstream');
    try {
      return await ask(upstream);
    } catch (error) {
      // This request may have been recorded there, but the next ones must not wait for an upstream that is down.
      if (error instanceof VerifierUnavailableError) this.#skip(upstream);
      throw error;
    }
  }

  #skip(failed: Upstream): void {
    if (this.#upstreams[this.#current] === failed) this.#current = (this.#current + 1) % this.#upstreams.length;
  }

  close(): void {
    for (const abort of this.#pending) abort.abort('this client was closed');
    for (const { agents, verifier } of this.#upstreams) {
      for (const agent of Object.values(agents)) agent.destroy();
      verifier.close();
    }
  }

  /** Starts with the upstream that answered last. */
  async #first<Answer>(ask: (upstream: Upstream) => Promise<Answer>): Promise<Answer> {
    const start = this.#current;
    let failure: unknown;
    for (let i = 0; i < this.#upstreams.length; i += 1) {
      const index = (start + i) % this.#upstreams.length;
      const upstream = this.#upstreams[index];
      if (upstream === undefined) break;
      try {
        const answer = await ask(upstream);
        this.#current = index;
        return answer;
      } catch (error) {
        // Also when the call is rejected: this upstream may have another configuration than the others.
        failure = error;
      }
    }
    throw failure;
  }

  async #withTimeout(timeoutMs: number, send: (signal: AbortSignal) => Promise<Reply>): Promise<Reply> {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(`there was no answer in ${Math.round(timeoutMs)} ms`), timeoutMs);
    this.#pending.add(abort);
    try {
      return await send(abort.signal);
    } finally {
      clearTimeout(timer);
      this.#pending.delete(abort);
    }
  }
}

function answered(reply: Reply, origin: string): VerifierAnswer {
  if (reply.outcome !== 'answered') throw unavailable(origin, reply.reason);
  return reply;
}

/** Beside `v1/verify`. */
function urlsOf({ url }: Endpoint): Upstream['urls'] {
  return { feed: new URL('feed', url), 'feed/reports': new URL('feed/reports', url) };
}
