/** One keep-alive connection, one call at a time: in a cluster it stays with the worker that accepted it. */
import { Agent, request } from 'node:http';

export interface Call {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: string;
  readonly token?: string;
}

export interface Reply {
  readonly status: number;
  readonly text: string;
  /** On the clock of the run: just before the call was sent, and when its whole answer had arrived. */
  readonly started: number;
  readonly ended: number;
}

const unavailableDetails: readonly unknown[] = [
  'The store does not answer; try again shortly.',
  'No upstream answers; try again shortly.',
];

/** The only error that an instance may return when its store, or an edge when its upstreams, do not answer. */
export function isUnavailable({ status, text }: Reply): boolean {
  if (status !== 503) return false;
  const { code, detail }: Record<string, unknown> = JSON.parse(text);
  return code === 'UNAVAILABLE' && unavailableDetails.includes(detail);
}

/** Longer than a process is stopped, so that only lost calls time out. */
const givenUpAfterMs = 15_000;

export class Connection {
  /** The name of this port in the tables. */
  readonly at: string;
  readonly #port: number;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #busy = false;

  constructor(at: string, port: number) {
    this.at = at;
    this.#port = port;
  }

  get busy(): boolean {
    return this.#busy;
  }

  /** Null when no answer came. */
  async call({ method, path, body = '', token }: Call): Promise<Reply | null> {
    this.#busy = true;
    const headers = {
      'content-length': Buffer.byteLength(body),
      ...(body === '' ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    const options = { host: '127.0.0.1', port: this.#port, method, path, headers, agent: this.#agent };
    return await new Promise<Reply | null>((resolve) => {
      const started = performance.now();
      const outgoing = request({ ...options, timeout: givenUpAfterMs }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, text, started, ended: performance.now() }),
        );
        response.on('error', () => resolve(null));
        response.on('aborted', () => resolve(null));
      });
      outgoing.on('timeout', () => outgoing.destroy());
      outgoing.on('error', () => resolve(null));
      outgoing.end(body);
    }).finally(() => {
      this.#busy = false;
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
