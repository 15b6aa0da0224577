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
  /** On the run's clock: just before the call went out, and when all of its answer was here. */
  readonly started: number;
  readonly ended: number;
}

const unavailableDetails: readonly unknown[] = [
  'The store does not answer; try again shortly.',
  'No upstream answers; try again shortly.',
];

/** The only thing that an instance may say about a store, and an edge about upstreams, that it can't ask. */
export function isUnavailable({ status, text }: Reply): boolean {
  if (status !== 503) return false;
  const { code, detail }: Record<string, unknown> = JSON.parse(text);
  return code === 'UNAVAILABLE' && unavailableDetails.includes(detail);
}

/** Longer than any stop of a process takes, so that only what is really lost is given up. */
const givenUpAfterMs = 15_000;

export class Connection {
  /** What the tables call this port. */
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
