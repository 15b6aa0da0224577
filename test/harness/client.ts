/** A client over keep-alive connections. A single connection stays with the process that accepted it. */
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { type Host, hostOf, thisHost } from '../support/hosts.ts';

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly token?: string;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** By performance.now(): just before the call was sent, and when its whole answer had arrived. */
  readonly started: number;
  readonly ended: number;
}

const unavailableDetails: readonly unknown[] = [
  'The store does not answer; try again shortly.',
  'No upstream answers; try again shortly.',
  // The edge forwarded the request, and the upstream answered 503.
  'An upstream gave no verdict; try again later.',
];

/** The only errors that an instance may return when its store, or an edge when its upstreams, do not answer. */
export function isUnavailable({ status, text }: Pick<Reply, 'status' | 'text'>): boolean {
  if (status !== 503) return false;
  const { code, detail }: Record<string, unknown> = JSON.parse(text);
  return code === 'UNAVAILABLE' && unavailableDetails.includes(detail);
}

/** Longer than a process is stopped, so that only lost calls time out. */
const timeoutMs = 15_000;

export class Client {
  readonly #port: number;
  readonly #host: Host;
  readonly #agent: Agent;
  #callsInProgress = 0;

  constructor(port: number, { connections = 1, localAddress }: { connections?: number; localAddress?: string } = {}) {
    this.#port = port;
    this.#host = hostOf(port);
    const own = localAddress ?? (this.#host === thisHost ? thisHost.address : undefined);
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections, ...(own && { localAddress: own }) });
  }

  get busy(): boolean {
    return this.#callsInProgress > 0;
  }

  /** Null when no answer came. With `close`, the call has a connection of its own, which is closed afterwards. */
  async call(call: Call, { close = false } = {}): Promise<Reply | null> {
    this.#callsInProgress += 1;
    return await new Promise<Reply | null>((resolve) => {
      const started = performance.now();
      const options = { ...this.#options(call), agent: close ? false : this.#agent, timeout: timeoutMs };
      const outgoing = request(options, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        const { statusCode: status = 0, headers } = response;
        response.on('end', () => resolve({ status, headers, text, started, ended: performance.now() }));
        response.on('error', () => resolve(null)).on('aborted', () => resolve(null));
      });
      outgoing.on('timeout', () => outgoing.destroy()).on('error', () => resolve(null));
      outgoing.end(call.body);
    }).finally(() => {
      this.#callsInProgress -= 1;
    });
  }

  /** Closes the connection while the server is still reading the body, or before it has answered. */
  abandon(call: Call, afterMs: number): void {
    const { body = '' } = call;
    const outgoing = request({ ...this.#options(call), agent: false });
    outgoing.on('error', () => undefined);
    if (afterMs % 2 === 0) outgoing.write(body.slice(0, body.length / 2));
    else outgoing.end(body);
    setTimeout(() => outgoing.destroy(), afterMs);
  }

  /** Begins a request and never continues it: the server must close the connection after its timeout. */
  stall(): void {
    const socket = connect(this.#port, this.#host.address, () =>
      socket.write('POST /v1/verify HTTP/1.1\r\nHost: x\r\n'),
    );
    socket.on('error', () => undefined).resume();
  }

  close(): void {
    this.#agent.destroy();
  }

  #options({ method, path, body = '', token = this.#host.token }: Call) {
    const headers = {
      'content-length': Buffer.byteLength(body),
      ...(body === '' ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    return { host: this.#host.address, port: this.#port, method, path, headers };
  }
}
