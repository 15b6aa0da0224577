/** Answers one line of a request at a time, with a line of the response. */
import { badInput } from '../../domain/errors.ts';
import { sendError } from '../errors.ts';
import { countAnswer, type Exchange } from '../exchange.ts';

export class AnswerStream {
  readonly #exchange: Exchange;
  #startedAt = 0;
  #isPending = false;
  #isLast = false;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  /** Called for each line. Throws if the client does not wait for the answer to the line before, or does not read it. */
  begin(): void {
    if (this.#isPending || this.#exchange.response.writableNeedDrain) {
      throw badInput([{ field: 'body', message: 'must have one line at a time; read its answer before the next' }]);
    }
    this.#isPending = true;
    this.#startedAt = performance.now();
  }

  send(text: string): void {
    const { response } = this.#exchange;
    this.#isPending = false;
    if (response.destroyed || response.writableEnded) return;
    this.#start();
    if (this.#isLast) response.end(`${text}\n`);
    else response.write(`${text}\n`);
    countAnswer({ ...this.#exchange, startedAt: this.#startedAt });
  }

  /** Called when no line follows. */
  end(): void {
    this.#isLast = true;
    if (this.#isPending) return;
    this.#start();
    this.#exchange.response.end();
  }

  /** After the first answer, there is no status to send. The client repeats the line as a single request. */
  fail(error: unknown): void {
    const { response } = this.#exchange;
    if (response.headersSent) response.destroy();
    else sendError(this.#exchange, error);
  }

  #start(): void {
    const { response } = this.#exchange;
    if (response.headersSent) return;
    // nginx must not wait for more of the response.
    const headers = ['content-type', 'application/x-ndjson', 'cache-control', 'no-store', 'x-accel-buffering', 'no'];
    response.writeHead(200, headers);
  }
}
