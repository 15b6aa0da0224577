/** A small HTTP server in place of the verification port, with responses that each test defines. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Verdict } from '../../src/client/verdict.ts';
import type { Verification } from '../../src/client/verification.ts';
import { verifySignature } from '../../src/domain/signature/http-signature.ts';
import type { VerdictCode } from '../../src/domain/verdict/verdict-code.ts';
import { keyId, now, secret } from './crafted-request.ts';
import { freePort } from './free-port.ts';

export interface Call {
  readonly asked: Verification;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export interface StandIn {
  readonly url: string;
  /** Every connection ever opened. */
  readonly connections: Socket[];
  readonly calls: Call[];
  /** What it does with a call. A test sets it. */
  answer: (call: Call) => void;
  close(): Promise<void>;
}

export const aKey = 'lk_live_Abcd1234_a-secret-that-must-not-leak';

export const validVerdict: Verdict & { valid: true } = {
  valid: true,
  code: 'VALID',
  keyId: '0197a2b4-6c1e-7d3f-8a55-2f9b1c0d4e6a',
  teamId: '5a3c7f60-9a52-4b6e-8f0e-1f0a2b3c4d5e',
  name: 'ci of the shop',
  env: 'live',
  prefix: 'lk_live_Abcd1234',
  expiresAt: '2031-01-01T00:00:00.000Z',
  rateLimit: null,
  secret: 'current',
  scopes: ['orders:read'],
  externalId: 'customer-42',
  metadata: { plan: 'pro' },
};

export function rejectedVerdict(code: string) {
  return { ...validVerdict, valid: false, code };
}

/** The verdict on a key that has reached its rate limit, with its header fields. */
export const rateLimitFields = { 'ratelimit-policy': '"default";q=100;w=60', ratelimit: '"default";r=0;t=17' };
export const rateLimited = answering(rejectedVerdict('RATE_LIMITED'), 200, { ...rateLimitFields, 'retry-after': '17' });

/** The verdict on a key with a rate limit that is not exceeded, with the same fields. */
export const accepted = answering(validVerdict, 200, rateLimitFields);

/** The status with which middleware answers a verdict. */
export function statusOf(code: VerdictCode): number {
  if (code === 'RATE_LIMITED') return 429;
  return ['WRONG_ENVIRONMENT', 'SOURCE_NOT_ALLOWED', 'INSUFFICIENT_SCOPE'].includes(code) ? 403 : 401;
}

/** Answers any call so. */
export function answering(body: unknown, status = 200, headers: Record<string, string> = {}) {
  return ({ response }: Call) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/** Verifies signatures as the service does. */
export function judge(call: Call): void {
  const request = call.asked.request ?? { method: 'GET', url: '/', headers: {} };
  const { outcome } = verifySignature({ request, keyId, secret, now });
  answering(outcome === 'valid' ? validVerdict : rejectedVerdict(outcome))(call);
}

export async function startStandIn(): Promise<StandIn> {
  const server = createServer(async (request, response) => {
    const call = { asked: JSON.parse(await text(request)), request, response };
    standIn.calls.push(call);
    standIn.answer(call);
  });
  const connections: Socket[] = [];
  server.on('connection', (socket) => connections.push(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const standIn: StandIn = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections,
    calls: [],
    answer: answering(validVerdict),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return standIn;
}

/** Returns an address at which no server listens. */
export async function deadUrl(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}`;
}
