import type { Agent, IncomingMessage, request } from 'node:http';
import type { VerifierAnswer } from './verdict.ts';

/** Shorter than the 5 idle seconds after which Node's servers close a connection, so that retries are rare. */
export const idleSocketMs = 4000;

export interface Connection {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Of `node:http` or `node:https`, which `@latchkey/client/fetch` can't import. */
  readonly request: typeof request;
  /** Never the global one, which uses a proxy of the environment with NODE_USE_ENV_PROXY. */
  readonly agent: Agent | false;
}

export interface Outgoing {
  readonly body: Buffer;
  /** The maximum size of the answer. */
  readonly limitBytes: number;
}

/** The result of one request. Contains only the code of a Node error, because some errors contain received bytes. */
export type Reply =
  | ({ readonly outcome: 'answered' } & VerifierAnswer)
  | { readonly outcome: 'failed' | 'stale' | 'aborted'; readonly reason: string };

export const closedReason = 'this client was closed';

/** Runs the requests of one client. Each one ends after a timeout, or when the client is closed. */
export class PendingRequests {
  readonly #pending = new Set<AbortController>();
  #isClosed = false;

  async run(timeoutMs: number, send: (signal: AbortSignal) => Promise<Reply>): Promise<Reply> {
    if (this.#isClosed) return { outcome: 'aborted', reason: closedReason };
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

  /** Aborts pending and later requests. */
  close(): void {
    this.#isClosed = true;
    for (const abort of this.#pending) abort.abort(closedReason);
  }
}

/** Posts a body that may arrive twice. If a reused connection was closed, posts again on a new one. Never rejects. */
export async function postIdempotent(connection: Connection, outgoing: Outgoing, signal: AbortSignal): Promise<Reply> {
  const reply = await postOnce(connection, outgoing, signal);
  if (reply.outcome !== 'stale' || signal.aborted) return reply;
  return await postOnce({ ...connection, agent: false }, outgoing, signal);
}

/** Posts the body once. Never rejects; the reason of an aborted request is `signal.reason`. */
export function postOnce(
  { url, headers, agent, request: send }: Connection,
  { body, limitBytes }: Outgoing,
  signal: AbortSignal,
): Promise<Reply> {
  return new Promise((resolve) => {
    const request = send(url, { method: 'POST', agent, headers: { ...headers, 'content-length': body.length } });
    const settle = (reply: Reply) => {
      signal.removeEventListener('abort', abort);
      resolve(reply);
    };
    // A request that waits for a connection emits no error when it is destroyed.
    const abort = () => {
      settle({ outcome: 'aborted', reason: String(signal.reason) });
      request.destroy();
    };
    signal.addEventListener('abort', abort);
    let receivedBefore = 0;
    request.on('socket', (socket) => {
      receivedBefore = socket.bytesRead;
    });
    let answering = false;
    request.on('response', (response) => {
      answering = true;
      readAnswer(response, limitBytes, settle);
    });
    request.on('error', ({ code = 'no code' }: NodeJS.ErrnoException) => {
      const reset = code === 'ECONNRESET' || code === 'EPIPE';
      const stale = reset && request.reusedSocket && request.socket?.bytesRead === receivedBefore;
      settle({ outcome: stale ? 'stale' : 'failed', reason: `the connection failed (${code})` });
    });
    request.on('close', () => {
      if (!answering) settle({ outcome: 'failed', reason: 'the connection was closed' });
    });
    request.end(body);
  });
}

function readAnswer(response: IncomingMessage, limitBytes: number, settle: (reply: Reply) => void): void {
  // Node.js accepts codings that it does not decode, and any version (RFC 9112, section 6.1).
  const { 'transfer-encoding': coding = 'chunked' } = response.headers;
  if (coding.toLowerCase() !== 'chunked' || response.httpVersionMajor !== 1) {
    settle({ outcome: 'failed', reason: 'the answer has another transfer coding or version of HTTP' });
    response.destroy();
    return;
  }
  const chunks: Buffer[] = [];
  let length = 0;
  response.on('data', (chunk: Buffer) => {
    length += chunk.length;
    chunks.push(chunk);
    if (length <= limitBytes) return;
    settle({ outcome: 'failed', reason: 'the answer was too long' });
    response.destroy();
  });
  response.on('end', () => {
    const { statusCode: status = 0, headers } = response;
    const rateLimit = { policy: fieldOf(headers['ratelimit-policy']), rateLimit: fieldOf(headers.ratelimit) };
    const text = Buffer.concat(chunks).toString();
    settle({ outcome: 'answered', status, retryAfter: headers['retry-after'], rateLimit, text });
  });
  response.on('close', () => settle({ outcome: 'failed', reason: 'the answer was cut off' }));
}

function fieldOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}
