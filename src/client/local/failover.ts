/** Which upstream gets a message: one of them until it fails, then the next one. */
import { VerifierRejectedError, VerifierUnavailableError } from '../verdict.ts';

export type UpstreamPath = 'feed' | 'feed/reports' | 'verify';

/** Thrown when an attempt has timed out. The upstream may still process the message. */
export class TimeoutError extends VerifierUnavailableError {}

export class Failover<Upstream> {
  readonly #upstreams: readonly Upstream[];
  /** Separate for each path: a slow verification or failed report does not move the feed to another upstream. */
  readonly #current: Record<UpstreamPath, number> = { feed: 0, 'feed/reports': 0, verify: 0 };

  constructor(upstreams: readonly Upstream[]) {
    this.#upstreams = upstreams;
  }

  /** Tries the upstreams in turn, starting with the one that answered last. */
  async first<Answer>(path: UpstreamPath, send: (upstream: Upstream) => Promise<Answer>): Promise<Answer> {
    const start = this.#current[path];
    let failure: unknown;
    for (let i = 0; i < this.#upstreams.length; i += 1) {
      const index = (start + i) % this.#upstreams.length;
      const upstream = this.#upstreams[index];
      if (upstream === undefined) break;
      try {
        const answer = await send(upstream);
        this.#current[path] = index;
        return answer;
      } catch (error) {
        // Rejected calls go on to the next upstream too, because its configuration may differ.
        if (i === 0 || usefulness(error, path) >= usefulness(failure, path)) failure = error;
        if (error instanceof TimeoutError && path === 'feed/reports') {
          // This upstream may still write the counts, so no other upstream may get the counts now.
          this.#skip(path, upstream);
          break;
        }
      }
    }
    throw failure;
  }

  /** Sends a message to one upstream only. If it does not answer, the next message goes to the next upstream. */
  async once<Answer>(path: UpstreamPath, send: (upstream: Upstream) => Promise<Answer>): Promise<Answer> {
    const upstream = this.#upstreams[this.#current[path]];
    if (upstream === undefined) throw new RangeError('there is no upstream');
    try {
      return await send(upstream);
    } catch (error) {
      // Skips an upstream only if it does not answer: an answer such as 429 may concern only one team.
      if (error instanceof VerifierUnavailableError && error.status === null) this.#skip(path, upstream);
      throw error;
    }
  }

  /** Selects the next upstream, unless another message already has. */
  #skip(path: UpstreamPath, failed: Upstream): void {
    const index = this.#current[path];
    if (this.#upstreams[index] === failed) this.#current[path] = (index + 1) % this.#upstreams.length;
  }
}

/** Ranks the failures of several upstreams. An answer tells the caller more than a lost connection. */
function usefulness(error: unknown, path: UpstreamPath): number {
  // Ranks a rejected report last, because it would be dropped. After any other failure, it is sent again.
  if (error instanceof VerifierRejectedError) return path === 'feed/reports' ? 0 : 3;
  const status = error instanceof VerifierUnavailableError ? error.status : null;
  if (status === 503 || status === 429) return 2;
  return 1;
}
