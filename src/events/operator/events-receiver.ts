/** Sends events to EVENTS_URL. Unlike the URL of a webhook, the operator chooses it, so its address is not checked. */
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
      /** Contains the status, but nothing else that was received or configured. */
      readonly reason: string;
      /** Whether the receiver may accept a smaller batch. */
      readonly isTooLarge: boolean;
      readonly retryAfterMs: number | null;
    };

const compress = promisify(gzip);
const defaultTimeoutMs = 15_000;
/** How long a stop waits for the answer. Without it, the next instance sends the batch again. */
const stopGraceMs = 1000;

/** Sends one batch at a time, over a connection that is kept open. */
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

  /** Sends lines of NDJSON, compressed. Never rejects. After `stop`, waits one more second for the answer. */
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
