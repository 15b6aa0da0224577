/** The URL of the operator that gets all events (EVENTS_URL). It is the operator's own, so its address is not checked. */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { parseRetryAfter } from '../../domain/webhook/retry-schedule.ts';
import { ndjsonContentType } from '../forms/forms.ts';
import { postToReceiver, type RequestResult } from '../sender/receiver-request.ts';

export interface EventsReceiverOptions {
  readonly url: string;
  readonly token?: string | undefined;
  /** Default: 15 seconds. */
  readonly timeoutMs?: number;
}

export type Answer =
  | { readonly outcome: 'accepted' }
  | {
      readonly outcome: 'failed';
      /** Contains nothing that was configured or received, but the status. */
      readonly reason: string;
      /** Whether fewer events may be accepted. */
      readonly isTooLarge: boolean;
      readonly retryAfterMs: number | null;
    };

const compress = promisify(gzip);
const defaultTimeoutMs = 15_000;
/** Upon a stop: an answer that is lost makes the next instance repeat the batch. */
const stopGraceMs = 1000;

/** Sends batches, one at a time, over a connection that is kept. */
export class EventsReceiver {
  readonly #url: URL;
  readonly #token: string | undefined;
  readonly #timeoutMs: number;
  readonly #agent: HttpAgent;

  constructor({ url, token, timeoutMs = defaultTimeoutMs }: EventsReceiverOptions) {
    this.#url = new URL(url);
    this.#token = token;
    this.#timeoutMs = timeoutMs;
    const Agent = this.#url.protocol === 'https:' ? HttpsAgent : HttpAgent;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 1 });
  }

  /** Sends lines of NDJSON, compressed. Never rejects. Upon `stop`, waits for an answer for one second. */
  async send(lines: string, stop: AbortSignal): Promise<Answer> {
    const body = await compress(lines);
    // AbortSignal.timeout and AbortSignal.any would be kept until the timeout.
    const ending = new AbortController();
    const timers = [setTimeout(() => ending.abort(), this.#timeoutMs)];
    const abortSoon = () => timers.push(setTimeout(() => ending.abort(), stopGraceMs));
    stop.addEventListener('abort', abortSoon);
    if (stop.aborted) ending.abort();
    try {
      return answerOf(await this.#post(body, ending.signal));
    } finally {
      for (const timer of timers) clearTimeout(timer);
      stop.removeEventListener('abort', abortSoon);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  async #post(body: Buffer, signal: AbortSignal): Promise<RequestResult> {
    if (signal.aborted) return { outcome: 'aborted' };
    const options = {
      ...urlToHttpOptions(this.#url),
      agent: this.#agent,
      headers: {
        ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
        'content-type': ndjsonContentType,
        'content-encoding': 'gzip',
        'content-length': body.length,
        'user-agent': 'latchkey',
      },
    };
    return await postToReceiver({ options, body, newAgent: false, signal });
  }
}

function answerOf(result: RequestResult): Answer {
  if (result.outcome !== 'answered') {
    const reason = result.outcome === 'aborted' ? 'timed out' : result.error;
    return { outcome: 'failed', reason, isTooLarge: false, retryAfterMs: null };
  }
  const { status, retryAfter } = result;
  if (status >= 200 && status < 300) return { outcome: 'accepted' };
  const redirect = status >= 300 && status < 400 ? '; redirects are not followed' : '';
  return {
    outcome: 'failed',
    reason: `status ${status}${redirect}`,
    isTooLarge: status === 413,
    retryAfterMs: retryAfter === undefined ? null : parseRetryAfter(retryAfter, new Date()),
  };
}
