/** A small HTTP server in place of the feed, with answers that each test defines. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { FeedAnswer, FeedQuestion, FeedReport, FeedRow } from '../../src/domain/feed-messages.ts';

export interface FeedCall {
  readonly question: FeedQuestion;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export interface FeedStandIn {
  readonly url: string;
  readonly calls: FeedCall[];
  readonly reports: FeedReport[];
  /** What it does with a question. A test sets it. */
  answer: (call: FeedCall) => void;
  /** The status with which the next reports are answered. */
  readonly reportStatuses: number[];
  /** Reports are answered after this. */
  reportsWait: Promise<unknown>;
  close(): Promise<void>;
}

export const plainRow: FeedRow = {
  keyId: '0197a2b4-6c1e-7d3f-8a55-2f9b1c0d4e6a',
  teamId: '5a3c7f60-9a52-4b6e-8f0e-1f0a2b3c4d5e',
  name: 'A key',
  env: 'live',
  prefix: 'lk_live_Abcd1234',
  expiresAt: null,
  secret: 'current',
  scopes: [],
  externalId: null,
  metadata: null,
  version: 1,
  revoked: false,
  disabled: false,
  rotated: false,
  secretExpiresAt: null,
  allowedIps: null,
  signed: false,
  rateLimit: null,
  imported: false,
};

/** Knows every key, each with an id of its own. */
export function answerTo({ keys }: FeedQuestion, more: Partial<FeedAnswer> = {}): FeedAnswer {
  const rows = keys.map((key) => ({ ...plainRow, keyId: idOf(key) }));
  const quiet = { clear: false, changed: [], importsChanged: false, imports: false, leaseMs: 0, pauseMs: 0 };
  return { cursor: 'a-cursor', ...quiet, keys: rows, ...more };
}

/** The id that `answerTo` gives to a key. */
export function idOf(secret: string): string {
  return `id of ${secret.slice(0, 16)}`;
}

export function sendAnswer({ response }: FeedCall, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

export async function startFeedStandIn(): Promise<FeedStandIn> {
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request));
    if (request.url === '/v1/feed/reports') {
      standIn.reports.push(body);
      await standIn.reportsWait;
      const status = standIn.reportStatuses.shift() ?? 200;
      sendAnswer({ question: body, request, response }, { totals: body.rates.map(() => 1) }, status);
      return;
    }
    const call = { question: body, request, response };
    standIn.calls.push(call);
    standIn.answer(call);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const standIn: FeedStandIn = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: [],
    reports: [],
    reportStatuses: [],
    reportsWait: Promise.resolve(),
    answer: (call) => sendAnswer(call, answerTo(call.question)),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return standIn;
}
