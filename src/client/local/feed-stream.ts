/**
 * Sends several messages in one HTTP request, and reads the answers from its response, one per line. Each message
 * follows the answer to the previous message. A message costs about a quarter of an HTTP request.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Connection, Outgoing, Reply } from '../post.ts';

const newline = Buffer.from('\n');
const succeeded = {
  outcome: 'answered',
  status: 200,
  retryAfter: undefined,
  rateLimit: { policy: undefined, rateLimit: undefined },
} as const;
const unanswered: Reply = { outcome: 'stale', reason: 'the stream was closed' };

export class FeedStream {
  readonly #request: ClientRequest;
  #settle: ((reply: Reply) => void) | null = null;
  #limitBytes = 0;
  #parts: string[] = [];
  #length = 0;
  /** Whether no more messages can be sent. */
  isOver = false;
  hasAnswered = false;
  /** The answer to the last message. It is passed on when the response has ended and the connection is free again. */
  #lastReply: Reply = unanswered;

  constructor({ url, headers, agent, request: send }: Connection) {
    const options = { method: 'POST', agent, headers: { ...headers, 'content-type': 'application/x-ndjson' } };
    this.#request = send(url, options);
    this.#request.setNoDelay(true);
    // Only the timer of a pending message keeps the process alive, not the open stream.
    this.#request.on('socket', (socket) => socket.unref());
    this.#request.on('response', (response) => this.#read(response));
    // The error is not used, because it can contain received bytes.
    this.#request.on('error', () => this.#close());
    this.#request.on('close', () => this.#close());
  }

  /** Sends a message. Never rejects; without an answer, the reply is `stale`. The last message ends the stream. */
  send({ body, limitBytes }: Outgoing, isLast: boolean): Promise<Reply> {
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#limitBytes = limitBytes;
      const line = Buffer.concat([body, newline]);
      if (isLast) this.#end(line);
      else this.#request.write(line);
    });
  }

  /** Ends the stream unless a message is pending. The connection can then be used again. */
  endIdle(): void {
    if (this.#settle === null && !this.isOver) this.#end();
  }

  #end(line?: Buffer): void {
    this.isOver = true;
    this.#request.end(line);
  }

  /** Closes the connection, so that a late answer is not taken for the answer to the next message. */
  destroy(): void {
    this.#request.destroy();
    this.#close();
  }

  #close(): void {
    this.isOver = true;
    this.#answer(this.#lastReply);
  }

  #read(response: IncomingMessage): void {
    if (response.statusCode !== 200) {
      this.destroy();
      return;
    }
    response.setEncoding('utf8');
    response.on('data', (text: string) => this.#take(text));
    response.on('close', () => this.#close());
  }

  #take(text: string): void {
    this.#parts.push(text);
    this.#length += text.length;
    if (this.#length > this.#limitBytes) {
      this.destroy();
      return;
    }
    if (!text.endsWith('\n')) return;
    const answer = this.#parts.join('');
    this.#parts = [];
    this.#length = 0;
    this.hasAnswered = true;
    const reply = { ...succeeded, text: answer };
    if (this.isOver) this.#lastReply = reply;
    else this.#answer(reply);
  }

  #answer(reply: Reply): void {
    this.#settle?.(reply);
    this.#settle = null;
  }
}
