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

export interface Message {
  readonly path: 'feed' | 'feed/reports';
  readonly body: object;
  /** What must never be part of an error message. */
  readonly secrets: readonly string[];
  /** The maximum size of the answer. */
  readonly limitBytes: number;
  /** Default: a share of the time for all upstreams. */
  readonly timeoutMs?: number;
}

interface Upstream {
  readonly endpoint: Endpoint;
  readonly urls: Readonly<Record<Message['path'], URL>>;
  /**
   * Questions have a connection of their own. A report in between could otherwise move them to another process of the
   * service, which on SQLite does not know the cursor.
   */
  readonly agents: Readonly<Record<Message['path'], HttpAgent>>;
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
  async post(message: Message): Promise<unknown> {
    const body = Buffer.from(JSON.stringify(message.body));
    return await this.#first(async ({ endpoint, urls, agents }) => {
      const connection = { url: urls[message.path], headers: endpoint.headers };
      const outgoing = { body, limitBytes: message.limitBytes };
      const reply = await this.#withTimeout(message.timeoutMs ?? this.#attemptMs, async (signal) => {
        const first = await exchange({ ...connection, agent: agents[message.path] }, outgoing, signal);
        return first.outcome === 'stale' ? exchange({ ...connection, agent: false }, outgoing, signal) : first;
      });
      const { origin, token } = endpoint;
      return bodyOf(answered(reply, origin), { origin, secrets: [...message.secrets, token] });
    });
  }

  /** Asks for a verdict of the service. A signed request is sent once: its nonce may have been recorded. */
  async verify(verification: Verification): Promise<Verdict> {
    const ask = ({ verifier }: Upstream) => verifier.verify(verification);
    const { request } = verification;
    if (request === undefined || !isSigned(request.headers)) return await this.#first(ask);
    const upstream = this.#upstreams[this.#current];
    if (upstream === undefined) throw new RangeError('there is no upstream');
    return await ask(upstream);
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
        failure = error;
        if (!(error instanceof VerifierUnavailableError)) break;
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
