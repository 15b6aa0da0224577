import { type Connection, idleSocketMs, PendingRequests, postIdempotent, postOnce } from './post.ts';
import { maxAnswerBytes, unavailable, type VerifierAnswer, verdictFrom } from './verdict.ts';
import { callOf, isSigned, type Verify } from './verification.ts';
import { type VerificationPortOptions, verificationPortOf } from './verification-port.ts';

export interface VerifyOptions extends VerificationPortOptions {
  /** Sends the verification. Default: on Node.js its HTTP client, elsewhere the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/**
 * Returns a function that gets the verdict on a presented key. The function fails closed: `valid` is true only if a
 * well-formed answer says so. On Node.js, no proxy of the environment gets the key, also with NODE_USE_ENV_PROXY; the
 * connections are kept for a few seconds and don't keep the process alive. Elsewhere, and for a given `fetch`, that
 * function decides about both.
 *
 * The function rejects with VerifierUnavailableError if no such answer arrives in time, and with VerifierRejectedError
 * if the service rejects the call. Neither error contains the key.
 *
 * @throws TypeError or RangeError for invalid options
 */
export function createVerify(options: VerifyOptions = {}): Verify {
  const { url, headers, origin, token, timeoutMs } = verificationPortOf(options);
  const direct = options.fetch === undefined ? directConnection(url, headers) : null;
  return async (verification) => {
    const body = JSON.stringify(callOf(verification));
    const answer =
      direct === null
        ? await sendWith(options.fetch ?? globalThis.fetch, { url, headers, body, timeoutMs })
        : await sendDirectly(direct, { body, timeoutMs, once: isSigned(verification.request?.headers ?? {}) });
    if (typeof answer === 'string') throw unavailable(origin, answer);
    return verdictFrom(answer, { origin, secrets: [verification.key, token] }, verification);
  };
}

/** Returns null where there is no Node.js, or one that knows no proxies of the environment. */
function directConnection(url: URL, headers: Readonly<Record<string, string>>): Connection | null {
  // Other runtimes have modules of these names too, which need not behave in the same way.
  const isNode = typeof process === 'object' && (globalThis.navigator?.userAgent ?? 'Node.js').startsWith('Node.js');
  const modules = isNode ? process.getBuiltinModule : undefined;
  if (modules === undefined) return null;
  const { Agent, request } = url.protocol === 'https:' ? modules('node:https') : modules('node:http');
  return { url, headers, request, agent: new Agent({ keepAlive: true, maxSockets: 64, timeout: idleSocketMs }) };
}

interface DirectCall {
  readonly body: string;
  readonly timeoutMs: number;
  /** A nonce that was recorded would be a replay. */
  readonly once: boolean;
}

async function sendDirectly(connection: Connection, { body, timeoutMs, once }: DirectCall) {
  const outgoing = { body: Buffer.from(body), limitBytes: maxAnswerBytes };
  const post = once ? postOnce : postIdempotent;
  const reply = await new PendingRequests().run(timeoutMs, (signal) => post(connection, outgoing, signal));
  return reply.outcome === 'answered' ? reply : reply.reason;
}

interface FetchCall {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
}

async function sendWith(send: typeof fetch, { url, headers, body, timeoutMs }: FetchCall) {
  const signal = AbortSignal.timeout(timeoutMs);
  // A redirect is not followed, so that its target does not get the key. Workers do not support `redirect: 'error'`.
  const answer = await send(url, { method: 'POST', headers, body, signal, redirect: 'manual' })
    .then(readAnswer)
    .catch(reasonOf);
  return typeof answer === 'string' && signal.aborted ? `there was no answer in ${timeoutMs} ms` : answer;
}

/**
 * Returns why `fetch` failed. Uses only a code, such as ECONNREFUSED, because messages may contain received bytes. Node.js
 * and Deno have it in the cause, Bun in the error itself.
 */
function reasonOf(error: unknown): string {
  const code = [error, fieldOf(error, 'cause')]
    .map((one) => fieldOf(one, 'code'))
    .find((one) => typeof one === 'string' && /^[A-Za-z]\w{0,63}$/.test(one));
  return code === undefined ? 'the request failed' : `the connection failed (${code})`;
}

/** Errors can come from another realm, so they are not recognized by their class. */
function fieldOf(value: unknown, name: 'cause' | 'code'): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** Returns a text for an answer that is too long. */
async function readAnswer(response: Response): Promise<VerifierAnswer | string> {
  const bytes = await readStream(response.body, maxAnswerBytes);
  if (bytes === null) return 'the answer was too long';
  const { status, headers } = response;
  const field = (name: string) => headers.get(name) ?? undefined;
  const rateLimit = { policy: field('ratelimit-policy'), rateLimit: field('ratelimit') };
  return { status, retryAfter: field('retry-after'), rateLimit, text: new TextDecoder().decode(bytes) };
}

/** Returns all bytes of a stream, or null as soon as there are more than the limit. */
export async function readStream(
  stream: ReadableStream<Uint8Array> | null,
  limitBytes: number,
): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = stream?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) break;
    length += value.length;
    if (length > limitBytes) {
      // Not awaited, because the cancellation of a cloned body resolves only when both branches are cancelled.
      void reader?.cancel().catch(() => {});
      return null;
    }
    chunks.push(value);
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}
