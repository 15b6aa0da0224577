/** Receivers of webhooks that record what arrives, and answer well or badly. */
import { createPublicKey, verify } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { freePort } from '../support/free-port.ts';

/** A request that reached a receiver. */
export interface Arrival {
  readonly id: string;
  readonly body: string;
  /** By performance.now(): when the whole request had arrived. */
  readonly at: number;
  /** When the receiver began to answer with 2xx; null if it did not. */
  readonly acceptedAt: number | null;
  /** Whether one of the secrets of the endpoint explains the signature. */
  readonly isSigned: boolean;
}

/** `hang`: no answer. `break`: the connection is reset within the body of a 200. `close`: a 200, and no other request. */
export type Answer = number | 'hang' | 'break' | 'close';

/** `attempt` counts the arrivals of this event from 1, `events` those of different events so far. */
export type Behavior = (request: { readonly attempt: number; readonly events: number }) => Answer | Promise<Answer>;

/** A request with all that a verifier of signatures needs. */
export interface SignedRequest {
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly body: string;
  readonly secrets: readonly string[];
}

export class Receiver {
  readonly arrivals: Arrival[] = [];
  /** What each arrival was signed with, for another verifier. */
  readonly requests: SignedRequest[] = [];
  /** All that were issued for the endpoint. */
  readonly secrets: string[] = [];
  /** How many requests got which answer. */
  readonly answers = new Map<Answer, number>();
  readonly port: number;
  readonly #behavior: Behavior;
  readonly #attempts = new Map<string, number>();
  #server: Server | null = null;

  private constructor(port: number, behavior: Behavior) {
    this.port = port;
    this.#behavior = behavior;
  }

  static async start(behavior: Behavior): Promise<Receiver> {
    const receiver = new Receiver(await freePort(), behavior);
    await receiver.accept();
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/webhooks`;
  }

  /** Accepts connections, after `refuse` on the same port. */
  async accept(): Promise<void> {
    if (this.#server !== null) return;
    const server = createServer((incoming, response) => {
      // A connection that is reset within the request has brought nothing.
      text(incoming).then(
        (body) => this.#receive(incoming.headers, body, response),
        () => undefined,
      );
    });
    this.#server = server;
    server.listen(this.port, '127.0.0.1');
    await once(server, 'listening');
  }

  /** Ends all connections, and refuses new ones. */
  async refuse(): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    this.#server = null;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }

  async #receive(headers: IncomingHttpHeaders, body: string, response: ServerResponse): Promise<void> {
    const at = performance.now();
    const id = String(headers['webhook-id']);
    const attempt = (this.#attempts.get(id) ?? 0) + 1;
    this.#attempts.set(id, attempt);
    const signature = String(headers['webhook-signature']);
    const request = { id, timestamp: String(headers['webhook-timestamp']), signature, body, secrets: this.secrets };
    this.requests.push(request);
    const isSigned = isSignedBy(request);
    const arrival = { id, body, at, isSigned, acceptedAt: null as number | null };
    this.arrivals.push(arrival);
    const answer = await this.#behavior({ attempt, events: this.#attempts.size });
    this.answers.set(answer, (this.answers.get(answer) ?? 0) + 1);
    if (answer === 'hang') return;
    // What the sender makes of a body without its end is up to it.
    const isAccepted = answer === 'close' || answer === 'break' || (answer >= 200 && answer < 300);
    if (isAccepted) arrival.acceptedAt = performance.now();
    respond(response, answer);
  }
}

function respond(response: ServerResponse, answer: Exclude<Answer, 'hang'>): void {
  if (answer === 'break') {
    response.writeHead(200, { 'content-length': '1000' }).write('the beginning', () => response.destroy());
  } else if (answer === 'close') response.writeHead(200, { connection: 'close' }).end('ok');
  else response.writeHead(answer).end(`answered ${answer}`);
}

function isSignedBy(request: SignedRequest): boolean {
  return request.secrets.some((secret) =>
    secret.startsWith('whpk_') ? isSignedByKey(request, secret) : isSignedBySecret(request, secret),
  );
}

function isSignedBySecret({ id, timestamp, signature, body }: SignedRequest, secret: string): boolean {
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}

/** `v1a`, which the package from npm does not check. */
function isSignedByKey({ id, timestamp, signature, body }: SignedRequest, publicKey: string): boolean {
  const x = Buffer.from(publicKey.slice('whpk_'.length), 'base64').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const signed = Buffer.from(`${id}.${timestamp}.${body}`);
  return signature.split(' ').some((one) => {
    const [version, value = ''] = one.split(',');
    return version === 'v1a' && verify(null, signed, key, Buffer.from(value, 'base64'));
  });
}
