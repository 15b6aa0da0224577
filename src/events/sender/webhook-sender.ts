import { type ClientRequestArgs, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent, type RequestOptions } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { AllowedNetwork } from '../../domain/source/allowed-source.ts';
import { formatIpAddress, type IpAddress } from '../../domain/source/ip-address.ts';
import { type ReceiverProblem, receiverProblem } from '../../domain/webhook/delivery-address.ts';
import { parseRetryAfter } from '../../domain/webhook/retry-schedule.ts';
import { receiverPortOf, webhookHost } from '../../domain/webhook/webhook-url.ts';
import { type Attempt, type AttemptError, noAnswer, responseText } from './attempt.ts';
import { type ReceiverAddress, ReceiverConnections } from './receiver-connection.ts';
import { type MeasuredResult, postToReceiver, type ReceiverRequest, type RequestResult } from './receiver-request.ts';

export interface WebhookSenderOptions {
  /** Resolves a host name with the resolver of the team. Empty if it has no address. */
  readonly addressesOf: (host: string, team: string) => Promise<readonly IpAddress[]>;
  /** Networks of the operator, for which http and any port are allowed too. */
  readonly allowedNetworks: readonly AllowedNetwork[];
  /** The timeout of an attempt, from the DNS query to the status. */
  readonly timeoutMs?: number;
  readonly userAgent: string;
}

export interface WebhookRequest {
  /** As accepted by `parseWebhookUrl`. */
  readonly url: string;
  readonly teamId: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** Sends webhooks: in this process, or by a message to the process of the sender. */
export interface EventSender {
  /**
   * Posts once, without following redirects. Rejects if it is aborted, or if the process of the sender ends.
   *
   * @param onStatus called when the status has arrived. The start of the body can take another 100 ms.
   */
  send(webhook: WebhookRequest, options?: SendOptions): Promise<Attempt>;
}

/** Thrown if the process of the sender has ended. The receiver may have got the event. */
export class SenderEndedError extends Error {
  constructor(options?: ErrorOptions) {
    super('the process that sends webhooks has ended', options);
  }
}

export interface SendOptions {
  readonly signal?: AbortSignal;
  readonly onStatus?: () => void;
}

/** The timeout of an idle connection; shorter if `Keep-Alive` says so. */
const idleTimeoutMs = 30_000;
/** The maximum number of idle connections, for each of http and https. */
const maxIdleConnections = 256;
/** The time after which the next address of a host name is tried. */
const connectTimeoutMs = 2500;
/** The maximum number of addresses of a host name that are tried. */
const maxTriedAddresses = 8;

const notAllowed: Readonly<Record<ReceiverProblem, AttemptError>> = {
  address: 'the address is not allowed',
  port: 'the port is not allowed',
  http: 'http is not allowed',
};

const timedOut = new Error('timed out');

/**
 * Sends webhooks to URLs that teams choose. Connects only to addresses that it has checked. The caller limits the
 * number of concurrent requests.
 */
export class WebhookSender implements EventSender {
  readonly #options: WebhookSenderOptions;
  readonly #connections = new ReceiverConnections();
  readonly #agents = { kept: this.#agentsWith(true), new: this.#agentsWith(false) };
  readonly #pending = new Set<AbortController>();
  #isClosed = false;

  constructor(options: WebhookSenderOptions) {
    this.#options = options;
  }

  async send(webhook: WebhookRequest, { signal, onStatus }: SendOptions = {}): Promise<Attempt> {
    signal?.throwIfAborted();
    if (this.#isClosed) throw closedError();
    const abort = new AbortController();
    const onAbort = () => abort.abort(signal?.reason);
    signal?.addEventListener('abort', onAbort);
    const timer = setTimeout(() => abort.abort(timedOut), this.#options.timeoutMs ?? 15_000);
    this.#pending.add(abort);
    const startedMs = performance.now();
    try {
      const result = await this.#request(webhook, {
        signal: abort.signal,
        onStatus: () => {
          clearTimeout(timer);
          onStatus?.();
        },
      });
      if (result.outcome === 'aborted' && abort.signal.reason !== timedOut) throw abort.signal.reason;
      return attemptOf(result, Math.round(performance.now() - startedMs));
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      this.#pending.delete(abort);
    }
  }

  /** Aborts pending requests and closes all connections. */
  close(): void {
    this.#isClosed = true;
    for (const abort of this.#pending) abort.abort(closedError());
    for (const agents of Object.values(this.#agents)) for (const agent of Object.values(agents)) agent.destroy();
  }

  async #request(
    { url: text, teamId, headers, body }: WebhookRequest,
    { signal, onStatus }: Pick<ReceiverRequest, 'signal' | 'onStatus'>,
  ): Promise<MeasuredResult> {
    const url = new URL(text);
    const addresses = await this.#checkedAddresses(url, teamId, signal);
    if ('outcome' in addresses) return { ...addresses, cpuMs: 0 };
    const protocol = url.protocol === 'https:' ? 'https:' : 'http:';
    const options: PooledOptions = {
      agent: this.#agents.kept[protocol],
      teamId,
      protocol,
      host: url.hostname.replace(/^\[(.*)\]$|\.$/, '$1'),
      port: receiverPortOf(url).port,
      path: url.pathname + url.search,
      headers: {
        ...headers,
        'accept-encoding': 'identity',
        'content-length': Buffer.byteLength(body),
        'user-agent': this.#options.userAgent,
      },
      lookup: lookupOf(addresses),
      autoSelectFamilyAttemptTimeout: connectTimeoutMs,
      // Reuses only connections of the same team to these addresses.
      pool: [teamId, ...addresses.map(formatIpAddress).sort()].join(' '),
    };
    return await postToReceiver({ options, body, newAgent: this.#agents.new[protocol], signal, onStatus });
  }

  #agentsWith(keepAlive: boolean) {
    const https = new HttpsAgent({ ...agentOptions, keepAlive });
    https.createConnection = (options) => this.#connections.connect(options as ReceiverAddress);
    return { 'http:': pooled(new HttpAgent({ ...agentOptions, keepAlive })), 'https:': pooled(https) };
  }

  /** Returns the addresses of the host. If one of them is not allowed, the request fails. */
  async #checkedAddresses(
    url: URL,
    teamId: string,
    signal: AbortSignal,
  ): Promise<readonly IpAddress[] | RequestResult> {
    const host = webhookHost(url);
    if (host === null) return failed('the name has no address');
    const addresses = host.kind === 'address' ? [host.address] : await this.#resolve(host.name, teamId, signal);
    if ('outcome' in addresses) return addresses;
    if (addresses.length === 0) return failed('the name has no address');
    for (const address of addresses) {
      const problem = receiverProblem(receiverPortOf(url), address, this.#options.allowedNetworks);
      if (problem !== null) return failed(notAllowed[problem]);
    }
    return addresses.slice(0, maxTriedAddresses);
  }

  #resolve(name: string, teamId: string, signal: AbortSignal): Promise<readonly IpAddress[] | RequestResult> {
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve({ outcome: 'aborted' }), { once: true });
      this.#options.addressesOf(name, teamId).then(resolve, () => resolve(failed('the name could not be resolved')));
    });
  }
}

interface PooledOptions extends RequestOptions {
  readonly teamId: string;
  readonly pool: string;
  readonly autoSelectFamilyAttemptTimeout: number;
}

const agentOptions = { timeout: idleTimeoutMs, maxFreeSockets: 2 } as const;

/** Limits the idle connections of an agent, and reuses them only for requests with the same `pool`. */
function pooled<A extends HttpAgent>(agent: A): A {
  const { keepSocketAlive, getName } = agent;
  agent.keepSocketAlive = (socket) => {
    const idle = Object.values(agent.freeSockets).reduce((sum, sockets) => sum + (sockets?.length ?? 0), 0);
    return idle < maxIdleConnections ? keepSocketAlive.call(agent, socket) : false;
  };
  agent.getName = (options?: ClientRequestArgs & { readonly pool?: string }) =>
    `${getName.call(agent, options)} ${options?.pool}`;
  return agent;
}

/** Looks up nothing but the checked addresses, because a second DNS answer could differ (DNS rebinding). */
function lookupOf(addresses: readonly IpAddress[]): LookupFunction {
  const all = addresses.map((address) => ({ address: formatIpAddress(address), family: address.family }));
  return (_host, options, callback) => {
    const [first] = all;
    if (options.all === true || first === undefined) callback(null, all);
    else callback(null, first.address, first.family);
  };
}

function attemptOf(result: MeasuredResult, durationMs: number): Attempt {
  const { cpuMs } = result;
  if (result.outcome !== 'answered') {
    const error = result.outcome === 'aborted' ? 'timed out' : result.error;
    return { ...noAnswer, durationMs, error, cpuMs };
  }
  const { status, retryAfter, body } = result;
  const ok = status >= 200 && status < 300;
  const isRedirect = status >= 300 && status < 400;
  return {
    ok,
    status,
    durationMs,
    responseBody: responseText(body),
    error: isRedirect ? 'redirects are not followed' : null,
    retryAfterMs: ok || retryAfter === undefined ? null : parseRetryAfter(retryAfter, new Date()),
    isGone: status === 410,
    cpuMs,
  };
}

function failed(error: AttemptError): RequestResult {
  return { outcome: 'failed', error, isStale: false };
}

function closedError(): Error {
  return new Error('the sender of webhooks is closed');
}
