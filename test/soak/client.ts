/** Calls over kept connections. Some are closed after a call, others in the middle of one. */
import { Agent, request } from 'node:http';
import { connect } from 'node:net';

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

const givenUpAfterMs = 15_000;

export class Client {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 128 });
  readonly #port: number;

  constructor(url: string) {
    this.#port = Number(new URL(url).port);
  }

  /** Null when no answer came. `last` closes the connection afterwards. */
  async call({ method, path, headers = {}, body = '' }: Call, last = false): Promise<Reply | null> {
    return await new Promise<Reply | null>((resolve) => {
      const outgoing = request(
        {
          ...this.#target(method, path, headers, Buffer.byteLength(body)),
          agent: last ? false : this.#agent,
          timeout: givenUpAfterMs,
        },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
          });
          response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
          response.on('error', () => resolve(null)).on('aborted', () => resolve(null));
        },
      );
      outgoing.on('timeout', () => outgoing.destroy()).on('error', () => resolve(null));
      outgoing.end(body);
    });
  }

  /** Closes the connection while the server is still reading the body, or before it has answered. */
  abandon({ method, path, headers = {}, body = '' }: Call, afterMs: number): void {
    const half = body.slice(0, body.length / 2);
    const outgoing = request({ ...this.#target(method, path, headers, Buffer.byteLength(body)), agent: false });
    outgoing.on('error', () => undefined);
    if (afterMs % 2 === 0) outgoing.write(half);
    else outgoing.end(body);
    setTimeout(() => outgoing.destroy(), afterMs);
  }

  /** Begins a request and never continues it: the server must close the connection after its timeout. */
  dawdle(): void {
    const socket = connect(this.#port, '127.0.0.1', () => socket.write('POST /v1/verify HTTP/1.1\r\nHost: x\r\n'));
    socket.on('error', () => undefined).resume();
  }

  close(): void {
    this.#agent.destroy();
  }

  #target(method: string, path: string, headers: Readonly<Record<string, string>>, length: number) {
    return {
      host: '127.0.0.1',
      port: this.#port,
      method,
      path,
      headers: { 'content-type': 'application/json', 'content-length': length, ...headers },
    };
  }
}
