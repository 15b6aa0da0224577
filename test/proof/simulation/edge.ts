/** An edge, assembled from the real parts as local-engine.ts does, with its feed over the simulated network. */
import { randomUUID } from 'node:crypto';
import { Failover, TimeoutError } from '../../../src/client/local/failover.ts';
import { FeedSource, type LocalMatch, matchesInCache } from '../../../src/client/local/feed-source.ts';
import { type LocalParts, LocalVerification } from '../../../src/client/local/local-verification.ts';
import type { Message } from '../../../src/client/local/upstreams.ts';
import { unavailable, VerifierUnavailableError } from '../../../src/client/verdict.ts';
import { UnknownKeyLimit } from '../../../src/domain/verdict/unknown-key-limit.ts';
import type { VerificationCall } from '../../../src/domain/verdict/verification-call.ts';
import { ConfirmationRounds } from '../../../src/engine/confirmation-rounds.ts';
import { KeyCache } from '../../../src/engine/key-cache.ts';
import { KeySearch } from '../../../src/engine/key-search.ts';
import { isUnavailable } from '../../../src/store/unavailable.ts';
import { maxFeedKeys } from '../../../src/wire/feed-messages.ts';
import { type Network, NetworkError } from './network.ts';
import type { Answered, Port } from './port.ts';
import { type Clock, Process } from './process.ts';
import { counters, type VerificationProcess } from './service.ts';
import type { World } from './world.ts';

export interface EdgeOptions {
  readonly network: Network;
  /** The verification processes of each instance, in the order in which the edge prefers the instances. */
  readonly upstreams: readonly (readonly VerificationProcess[])[];
  readonly cacheKeys: number;
  readonly timeoutMs: number;
  readonly minPauseMs: number;
  /** The chance that an instance rejects a request because it has too many. */
  readonly busy: number;
}

const retryPauseMs = 50;

export class Edge implements Port {
  readonly process: Process;
  readonly #world: World;
  readonly #options: EdgeOptions;
  #parts: LocalParts;

  constructor(name: string, world: World, clock: Clock, options: EdgeOptions) {
    this.#world = world;
    this.#options = options;
    this.process = new Process(name, world, clock, () => {
      this.#parts = this.#boot();
    });
    this.#parts = this.#boot();
  }

  verify(call: VerificationCall, answered: Answered): void {
    this.#parts.search.find(new LocalVerification(this.#parts, call, answered));
  }

  #boot(): LocalParts {
    const { process: scheduler } = this;
    const { upstreams, cacheKeys, timeoutMs, minPauseMs } = this.#options;
    const failover = new Failover(upstreams);
    const post = <Answer>(message: Message<Answer>) =>
      failover.first(message.path, (instance) => this.#send(message, this.#world.random.pick(instance)));
    const cache = new KeyCache<LocalMatch>({ ...matchesInCache, maxKeys: cacheKeys });
    const source = new FeedSource({ upstreams: { post }, edge: randomUUID(), timeoutMs, minPauseMs });
    const rounds = new ConfirmationRounds({
      ...{ source, cache, scheduler, retryPauseMs, maxMissing: maxFeedKeys },
      timeout: { ms: timeoutMs, error: () => new VerifierUnavailableError('There is no verdict') },
    });
    const unknownKeys = new UnknownKeyLimit(Number.POSITIVE_INFINITY);
    const search = new KeySearch({ cache, rounds, state: source, unknownKeys, now: scheduler.now });
    const forwards = {
      start: () => {
        throw new Error('no key needs a forwarded verification');
      },
    };
    return { search, state: source, counters, forwards, scheduler, isClosed: () => false };
  }

  /** Sends a message as upstreams.ts does, but not over HTTP. */
  async #send<Answer>({ body, parse }: Message<Answer>, { process, feed }: VerificationProcess): Promise<Answer> {
    const { network, upstreams, timeoutMs } = this.#options;
    const request = JSON.stringify(body);
    const { name } = process;
    const handle = () => (this.#isBusy() ? null : feed.handle(JSON.parse(request)).catch(this.#rejected));
    let text: string | null;
    try {
      const attemptMs = (timeoutMs * 0.9) / upstreams.length;
      const exchange = { from: this.process, to: process, isIdempotent: true, timeoutMs: attemptMs, handle };
      text = await network.exchange<string | null>(exchange);
    } catch (error) {
      if (!(error instanceof NetworkError)) throw error;
      const failure = unavailable(name, error.message);
      throw error.reason === 'timeout' ? new TimeoutError(failure.message) : failure;
    }
    if (text === null) throw unavailable(name, 'it answered 503', null, 503);
    const answer = parse(JSON.parse(text));
    if (answer === null) throw unavailable(name, 'its answer is not one of the feed');
    return answer;
  }

  #isBusy(): boolean {
    return this.#world.random.chance(this.#options.busy);
  }

  /** An instance answers 503 if the store does not answer. */
  readonly #rejected = (error: unknown): null => {
    if (!isUnavailable(error)) this.#world.fail(error);
    return null;
  };
}
