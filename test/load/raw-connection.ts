/**
 * One HTTP/1.1 connection with one call at a time. It sends requests that are already serialized and parses no more of
 * an answer than its end, so that a load generator takes little of the processors that it shares with the service.
 */
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly text: string;
  readonly bytes: number;
}

const headEnd = '\r\n\r\n';
const lastChunk = '\r\n0\r\n\r\n';

export class RawConnection {
  readonly #port: number;
  readonly #localAddress: string;
  #socket: Socket | null = null;
  #received: Buffer = Buffer.alloc(0);
  #done: ((answer: RawAnswer | null) => void) | null = null;

  constructor(port: number, localAddress: string) {
    this.#port = port;
    this.#localAddress = localAddress;
  }

  /** Calls back with null when the connection breaks before the answer is complete. The next call reconnects. */
  send(request: string, done: (answer: RawAnswer | null) => void): void {
    this.#done = done;
    this.#socket ??= this.#open();
    this.#socket.write(request);
  }

  close(): void {
    this.#done = null;
    this.#socket?.destroy();
  }

  #open(): Socket {
    const socket = connect({ host: '127.0.0.1', port: this.#port, localAddress: this.#localAddress, noDelay: true });
    socket.on('data', (chunk) => this.#read(chunk)).on('error', () => undefined);
    socket.once('close', () => {
      this.#socket = null;
      this.#settle(null);
    });
    return socket;
  }

  #read(chunk: Buffer): void {
    const received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    this.#received = received;
    const length = answerLength(received);
    if (length === null || received.length < length) return;
    const status = Number(received.toString('latin1', 9, 12));
    this.#settle({ status, text: received.toString('latin1', 0, length), bytes: length });
  }

  #settle(answer: RawAnswer | null): void {
    const done = this.#done;
    this.#received = Buffer.alloc(0);
    this.#done = null;
    done?.(answer);
  }
}

/** The length of the whole answer with its head; null while it is not known yet. */
function answerLength(received: Buffer): number | null {
  const end = received.indexOf(headEnd);
  if (end < 0) return null;
  const head = received.toString('latin1', 0, end).toLowerCase();
  const body = end + headEnd.length;
  const length = /\r\ncontent-length: *(\d+)/.exec(head)?.[1];
  if (length !== undefined) return body + Number(length);
  if (!head.includes('\r\ntransfer-encoding: chunked')) return body;
  // The last chunk may follow the head at once.
  const last = received.indexOf(lastChunk, end + 2);
  return last < 0 ? null : last + lastChunk.length;
}

interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly token?: string;
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request as it goes over the connection. */
export function rawRequest({ method, path, token, body, headers = {} }: RawRequest): string {
  const text = typeof body === 'object' ? JSON.stringify(body) : (body ?? '');
  return [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(text === '' || 'Content-Type' in headers ? [] : ['Content-Type: application/json']),
    `Content-Length: ${Buffer.byteLength(text)}`,
    '',
    text,
  ].join('\r\n');
}
