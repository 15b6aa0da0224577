/** A small HTTP server in place of the feed, with answers that each test defines. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { mintSecret } from '../../src/domain/secret/secret.ts';
import type { FeedAnswer, FeedReport, FeedRequest, FeedRow } from '../../src/wire/feed-messages.ts';

export interface FeedCall {
  readonly question: FeedRequest;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  isAnswered: boolean;
}

export interface FeedStandIn {
  readonly url: string;
  readonly calls: FeedCall[];
  readonly reports: FeedReport[];
  /** Answers a request. Each test sets it. */
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
export function answerTo({ keys }: FeedRequest, more: Partial<FeedAnswer> = {}): FeedAnswer {
  const rows = keys.map((key) => ({ ...plainRow, keyId: idOf(key) }));
  const quiet = { clear: false, changed: [], imports: false, leaseMs: 0, pauseMs: 0 };
  return { cursor: 'a-cursor', ...quiet, keys: rows, ...more };
}

const json = { 'content-type': 'application/json' };

/** Returns a well-formed key. */
export const minted = () => mintSecret('lk', 'live', randomBytes).secret;

/** Resolves to the error of a verification. */
export const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('there is a verdict'),
    (error) => error,
  );

/** The id that `answerTo` gives to a key. */
export function idOf(secret: string): string {
  return `id of ${secret.slice(0, 16)}`;
}

export function sendAnswer(call: FeedCall, body: unknown, status = 200): void {
  const { request, response } = call;
  call.isAnswered = true;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const isStream = request.url === '/v1/feed/stream';
  if (response.headersSent && status !== 200) {
    response.destroy();
    return;
  }
  if (!response.headersSent) response.writeHead(status, json);
  if (isStream && status === 200 && !request.complete) response.write(`${text}\n`);
  else response.end(`${text}\n`);
}

/** Answers as `answerTo` does. */
export function give(call: FeedCall, more: Partial<FeedAnswer> = {}): void {
  sendAnswer(call, answerTo(call.question, more));
}

/** @param hasStreams whether it has `POST /v1/feed/stream` */
export async function startFeedStandIn(hasStreams = false): Promise<FeedStandIn> {
  const take = (question: FeedRequest, request: IncomingMessage, response: ServerResponse) => {
    const call = { question, request, response, isAnswered: false };
    standIn.calls.push(call);
    standIn.answer(call);
    return call;
  };
  const takeLines = async (request: IncomingMessage, response: ServerResponse) => {
    let last: FeedCall | undefined;
    try {
      for await (const line of createInterface({ input: request })) last = take(JSON.parse(line), request, response);
    } catch {
      // The edge closed the connection.
    }
    if (last?.isAnswered === true) response.end();
  };
  const server = createServer(async (request, response) => {
    if (request.url === '/v1/feed/stream') {
      if (hasStreams) await takeLines(request, response);
      else response.writeHead(404).end();
      return;
    }
    const body = JSON.parse(await text(request));
    if (request.url === '/v1/feed/reports') {
      standIn.reports.push(body);
      await standIn.reportsWait;
      const status = standIn.reportStatuses.shift() ?? 200;
      response.writeHead(status, json).end(JSON.stringify({ totals: body.rates.map(() => 1) }));
      return;
    }
    take(body, request, response);
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
