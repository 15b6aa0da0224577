import type { Agent as HttpAgent, request as httpRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';

export interface Endpoint {
  readonly Agent: typeof HttpAgent | typeof HttpsAgent;
  readonly send: typeof httpRequest;
  readonly options: RequestOptions;
  readonly headers: Readonly<Record<string, string>>;
  readonly origin: string;
  readonly token: string | undefined;
}

/** A verdict has about 300 bytes. */
const longestAnswer = 16 * 1024;

/** What became of one attempt. Node's errors stay behind: some carry the bytes that arrived, and those may be anything. */
export type Reply =
  | {
      readonly outcome: 'answered';
      readonly status: number;
      readonly retryAfter: string | undefined;
      readonly text: string;
    }
  | { readonly outcome: 'failed' | 'stale'; readonly reason: string };

/** Posts the body once. Never rejects; `signal.reason` is what is told of an aborted one. */
export function exchange(
  { send, options, headers }: Endpoint,
  agent: HttpAgent | false,
  body: Buffer,
  signal: AbortSignal,
): Promise<Reply> {
  return new Promise((resolve) => {
    const request = send({ ...options, agent, headers: { ...headers, 'content-length': body.length } });
    const settle = (reply: Reply) => {
      signal.removeEventListener('abort', give);
      resolve(reply);
    };
    // Settled here and not by the request's error: there is none while it waits for a connection.
    const give = () => {
      settle({ outcome: 'failed', reason: String(signal.reason) });
      request.destroy();
    };
    signal.addEventListener('abort', give);
    let receivedBefore = 0;
    request.on('socket', (socket) => {
      receivedBefore = socket.bytesRead;
    });
    let answering = false;
    request.on('response', (response) => {
      answering = true;
      readAnswer(response, settle);
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

function readAnswer(response: IncomingMessage, settle: (reply: Reply) => void): void {
  const chunks: Buffer[] = [];
  let length = 0;
  response.on('data', (chunk: Buffer) => {
    length += chunk.length;
    chunks.push(chunk);
    if (length <= longestAnswer) return;
    settle({ outcome: 'failed', reason: 'the answer was too long' });
    response.destroy();
  });
  response.on('end', () => {
    const { statusCode: status = 0, headers } = response;
    settle({ outcome: 'answered', status, retryAfter: headers['retry-after'], text: Buffer.concat(chunks).toString() });
  });
  response.on('close', () => settle({ outcome: 'failed', reason: 'the answer was cut off' }));
}
