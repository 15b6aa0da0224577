/** The verification port of a complete Latchkey, and requests to it as a gateway sends them. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request, type Server } from 'node:http';
import { connect } from 'node:http2';
import type { Server as NetServer } from 'node:net';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { KeyEnv } from '../../src/domain/key/api-key.ts';
import type { RateLimit } from '../../src/domain/key/rate-limit.ts';
import { defaultKeyLocations } from '../../src/domain/key-location.ts';
import { ClientNetworks } from '../../src/gateway/client-networks.ts';
import { createExtAuthzPort, type ExtAuthzPort } from '../../src/gateway/ext-authz/server.ts';
import type { GatewayOptions, PortOptions } from '../../src/gateway/options.ts';
import type { AuthorizeRules } from '../../src/gateway/request/authorize-call.ts';
import { createEdgeGateway, createGateway } from '../../src/gateway/server.ts';
import type { DatabaseProvider } from '../../src/lib/database-address.ts';
import { createKey } from '../../src/manage/change/create-key.ts';
import { revokeKey } from '../../src/manage/change/key-state.ts';
import { enableSigning } from '../../src/manage/change/signing.ts';
import { updateKey } from '../../src/manage/change/update-key.ts';
import { RequestCounters } from '../../src/metrics/request-counters.ts';
import type { Service } from './compose.ts';
import { freePort } from './free-port.ts';
import { checkExchange } from './openapi-contract.ts';
import {
  type Answer,
  both,
  callerOf,
  type RunningService,
  rest,
  secondInstance,
  serviceOn,
  startService,
} from './service.ts';
import type { TemporaryDatabase } from './temporary-database.ts';

/** Lets a server listen on a free port of the loopback interface. Nothing listens there when it has stopped. */
export async function listen(server: NetServer): Promise<string> {
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return `http://127.0.0.1:${port}`;
}

/** Lets the port for Envoy's external authorization listen. Returns its address as gRPC clients write it. */
export async function listenExtAuthz(port: ExtAuthzPort | null): Promise<string> {
  return port === null ? 'EXT_AUTHZ_PORT is not set' : new URL(await listen(port.server)).host;
}

export async function stopExtAuthz(port: ExtAuthzPort | null): Promise<void> {
  if (port?.server.listening !== true) return;
  await new Promise((resolve) => {
    port.server.close(resolve);
    port.closeConnections(0);
  });
}

export const plainRules: AuthorizeRules = {
  keyLocations: defaultKeyLocations,
  convention: 'nginx',
  sourceHeader: null,
  sourceHops: 1,
  apiChecksContentDigest: false,
};

/** The options of a port that nothing limits. */
const plainOptions = {
  authorize: plainRules,
  capacity: 1000,
  issuer: null,
  tokens: null,
  readiness: async () => 'ready',
  traces: null,
  report: () => undefined,
} as const satisfies Partial<PortOptions>;

/** Starts a verification port over parts that the test defines. It stops with the test. */
export async function startPort(options: Partial<GatewayOptions> = {}) {
  const requests = new RequestCounters('verification');
  const server = createGateway({
    ...plainOptions,
    networks: new ClientNetworks(),
    verifier: { verify: () => undefined, find: async () => undefined },
    revokeOwnKey: async () => null,
    reportLeaks: async (matches) => matches.map(() => false),
    derivation: null,
    requests,
    ...options,
  });
  const url = await listen(server);
  onTestFinished(() => stopListening(server));
  return { server, url, requests };
}

/** The port for Envoy's external authorization over parts that the test defines. It stops with the test. */
export async function startExtAuthz(options: Partial<PortOptions>, callTimeoutMs?: number) {
  const requests = new RequestCounters('verification');
  const verifier = { verify: () => undefined };
  const port = createExtAuthzPort(
    { ...plainOptions, networks: new ClientNetworks(), verifier, requests, ...options },
    callTimeoutMs,
  );
  const address = await listenExtAuthz(port);
  onTestFinished(() => stopExtAuthz(port));
  return { port, address, requests };
}

/** The port of an edge, which does not listen yet. */
export function edgePort(
  verify: PortOptions['verifier']['verify'],
  rules: Partial<PortOptions['authorize']> = {},
): Server {
  const authorize = { ...plainOptions.authorize, ...rules };
  const requests = new RequestCounters('verification');
  return createEdgeGateway({
    ...plainOptions,
    networks: new ClientNetworks(),
    authorize,
    verifier: { verify },
    requests,
  });
}

/** Also if it has already stopped. */
export async function stopListening(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

export interface Sent {
  readonly method?: string;
  /** As sent in the request line. */
  readonly path?: string;
  /** A list is sent in as many lines. */
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
  /** Its connections are used; without one, a new connection. */
  readonly agent?: Agent;
  /** To another server, whose response is not compared with the OpenAPI description. */
  readonly elsewhere?: true;
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** One request as it is: `fetch` would normalize the path and choose headers. Held against the OpenAPI description. */
export async function send(origin: string, sent: Sent): Promise<Received> {
  const received = await exchange(origin, sent);
  const { method = 'GET', path = '/', body } = sent;
  const headers = Object.fromEntries(
    Object.entries(sent.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
  const header = (name: string) => received.headers[name.toLowerCase()]?.toString() ?? null;
  if (sent.elsewhere !== true) {
    checkExchange({ method, path, headers, body, status: received.status, header, answer: received.body });
  }
  return received;
}

async function exchange(origin: string, { method = 'GET', path = '/', body, ...sent }: Sent): Promise<Received> {
  return await new Promise((resolve, reject) => {
    const options = { method, path, headers: sent.headers ?? {}, agent: sent.agent ?? false };
    const outgoing = request(origin, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      response.on('error', reject).on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
      });
    });
    outgoing.on('error', reject).end(body);
  });
}

/** Over HTTP/2 with prior knowledge. Names no length unless `headers` does; Host becomes `:authority`. */
export async function sendOverHttp2(origin: string, sent: Sent): Promise<{ readonly status: number }> {
  const { host, ...headers } = sent.headers ?? {};
  const session = connect(origin);
  try {
    const target = { ':method': sent.method ?? 'GET', ':path': sent.path ?? '/', ':authority': String(host) };
    const stream = session.request({ ...target, ...headers }, { endStream: sent.body === undefined });
    if (sent.body !== undefined) stream.end(sent.body);
    let status = 0;
    stream.on('response', (answered) => {
      status = answered[':status'] ?? 0;
    });
    stream.resume();
    await once(stream, 'close');
    return { status };
  } finally {
    session.destroy();
  }
}

export interface KeyOptions {
  readonly env?: KeyEnv;
  readonly allowedIps?: readonly string[];
  readonly expiresAt?: Date;
  readonly rateLimit?: RateLimit;
  readonly scopes?: readonly string[];
  readonly externalId?: string;
  /** When it is created. */
  readonly now?: Date;
}

export interface IssuedKey {
  readonly id: string;
  readonly secret: string;
}

export type RunningGateway = Awaited<ReturnType<typeof startGateway>>;

export async function startGateway(provider: DatabaseProvider, environment: NodeJS.ProcessEnv = {}) {
  return await gatewayOf(await startService(provider, environment));
}

/** On an existing database, which it leaves. */
export async function startGatewayOn(database: TemporaryDatabase, environment: NodeJS.ProcessEnv = {}) {
  return await gatewayOf(await serviceOn(database, environment));
}

async function gatewayOf(running: RunningService) {
  const { management, gateway, extAuthz } = running.service;
  const teamId = randomUUID();
  const caller = (now?: Date) => callerOf({ [teamId]: both }, now);
  const issue = async ({ env = 'live', allowedIps, now, ...settings }: KeyOptions = {}): Promise<IssuedKey> => {
    const { apiKey, secret } = await createKey(management, caller(now), { teamId, name: 'A key', env, ...settings });
    if (allowedIps !== undefined) await updateKey(management, caller(), apiKey.id, { allowedIps });
    return { id: apiKey.id, secret };
  };
  return {
    running,
    /** Of the verification port. */
    url: await listen(gateway),
    /** Of the port for Envoy's external authorization, as `host:port`. */
    extAuthz: await listenExtAuthz(extAuthz),
    teamId,
    management,
    caller,
    issue,
    /** A key whose requests must be signed. */
    issueSigning: async (options?: KeyOptions) => {
      const key = await issue(options);
      const { signingSecret } = await enableSigning(management, caller(), key.id);
      return { ...key, signingSecret };
    },
    revoke: async (id: string) => {
      await revokeKey(management, caller(), id);
    },
    stop: async () => {
      await stopListening(gateway);
      await stopExtAuthz(extAuthz);
      await running.stop();
    },
  };
}

/** A verification port that runs during the tests of a block. Only tests can use it. */
export function sharedGateway(provider: DatabaseProvider, environment: NodeJS.ProcessEnv = {}): RunningGateway {
  let running: RunningGateway | undefined;
  beforeAll(async () => {
    running = await startGateway(provider, environment);
  });
  afterAll(() => running?.stop());
  const started = (): RunningGateway => {
    if (running === undefined) throw new Error('the gateway does not run');
    return running;
  };
  return {
    get running() {
      return started().running;
    },
    get url() {
      return started().url;
    },
    get extAuthz() {
      return started().extAuthz;
    },
    get teamId() {
      return started().teamId;
    },
    get management() {
      return started().management;
    },
    caller: (now) => started().caller(now),
    issue: (options) => started().issue(options),
    issueSigning: (options) => started().issueSigning(options),
    revoke: (id) => started().revoke(id),
    stop: () => started().stop(),
  };
}

/** Returns the URL of the verification port of a second instance on the same store. */
export function sharedSecondInstance(gateway: RunningGateway): () => string {
  let other: Service | undefined;
  let url = '';
  beforeAll(async () => {
    other = await secondInstance(gateway.running);
    url = await listen(other.gateway);
  });
  afterAll(async () => {
    if (other === undefined) return;
    await stopListening(other.gateway);
    await other.close();
  });
  return () => url;
}

/** The answer of `POST /v1/verify`. */
export function verifyAt(url: string, body: unknown, token: string | null = null): Promise<Answer> {
  return rest(url, token, 'POST', '/v1/verify', body);
}
