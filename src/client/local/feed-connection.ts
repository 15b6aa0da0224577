/**
 * Sends an edge's messages to the feed: as lines of a stream if they follow each other quickly, otherwise as requests.
 * Some proxies forward a request only when it is complete.
 */
import type { Agent } from 'node:http';
import { type Connection, type Outgoing, postIdempotent, type Reply } from '../post.ts';
import { FeedStream } from './feed-stream.ts';

export interface FeedConnectionOptions extends Connection {
  /** `url` is for single messages. */
  readonly streamUrl: URL;
  readonly agent: Agent;
  /** A new stream must answer within this time. Otherwise its message is sent again as a request. */
  readonly trialMs: number;
}

/** A stream is opened if messages follow each other within this time. */
const frequentMs = 500;
/** How long a stream is used. A service waits for streams when it stops, and limits all requests to 10 seconds. */
const streamMs = 2000;
/** The pause after a stream got no answer. Each further failure doubles it, up to the maximum. */
const [minRetryMs, maxRetryMs] = [1000, 600_000];

export class FeedConnection {
  readonly #options: FeedConnectionOptions;
  #stream: FeedStream | null = null;
  #endsAt = 0;
  #sentAt = Number.NEGATIVE_INFINITY;
  #retryAt = 0;
  #retryMs = minRetryMs;
  #hasWorked = false;

  constructor(options: FeedConnectionOptions) {
    this.#options = options;
  }

  /** Sends a message, which may arrive twice. Never rejects. The next message must wait for the reply. */
  async send(outgoing: Outgoing, signal: AbortSignal): Promise<Reply> {
    const now = performance.now();
    const isFrequent = now - this.#sentAt < frequentMs;
    this.#sentAt = now;
    if (isFrequent && now >= this.#retryAt) {
      const reply = await this.#sendOnStream(outgoing, signal, now);
      if (reply.outcome !== 'stale') return reply;
    }
    return await postIdempotent(this.#options, outgoing, signal);
  }

  close(): void {
    this.#stream?.destroy();
    this.#options.agent.destroy();
  }

  async #sendOnStream(outgoing: Outgoing, signal: AbortSignal, now: number): Promise<Reply> {
    const stream = this.#open(now);
    const abort = () => stream.destroy();
    signal.addEventListener('abort', abort);
    let isSilent = false;
    const trial = () => {
      isSilent = true;
      stream.destroy();
    };
    const timer = stream.hasAnswered ? undefined : setTimeout(trial, this.#options.trialMs);
    const reply = await stream.send(outgoing, now >= this.#endsAt);
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    if (signal.aborted) return { outcome: 'aborted', reason: String(signal.reason) };
    if (stream.hasAnswered) {
      this.#hasWorked = true;
      this.#retryMs = minRetryMs;
    } else this.#postpone(now, isSilent);
    return reply;
  }

  #postpone(now: number, isSilent: boolean): void {
    // A proxy probably forwards only complete requests, so more streams would only delay verifications.
    if (isSilent && !this.#hasWorked) this.#retryMs = maxRetryMs;
    this.#retryAt = now + this.#retryMs;
    this.#retryMs = Math.min(2 * this.#retryMs, maxRetryMs);
  }

  #open(now: number): FeedStream {
    if (this.#stream !== null && !this.#stream.isOver) return this.#stream;
    const { streamUrl: url, headers, request, agent } = this.#options;
    const stream = new FeedStream({ url, headers, request, agent });
    this.#stream = stream;
    this.#endsAt = now + streamMs;
    // After `streamMs`, the next message ends the stream. If no message comes, this timer ends it.
    setTimeout(() => stream.endIdle(), streamMs + frequentMs).unref();
    return stream;
  }
}
