/**
 * The questions and the reports of edges. `POST /v1/feed` takes one question, `POST /v1/feed/stream` one per line, and
 * `POST /v1/feed/reports` counts. Their fields are in wire/feed-messages.ts.
 */

import { LatchkeyError } from '../../domain/errors.ts';
import { bearerToken } from '../../lib/bearer-token.ts';
import type { FeedResponder } from '../../verify/edge-feed.ts';
import type { FeedReport, FeedReportAnswer } from '../../wire/feed-messages.ts';
import type { Endpoint } from '../endpoint.ts';
import { countAnswer, type Exchange, sendError } from '../exchange.ts';
import { AnswerStream } from '../feed/answer-stream.ts';
import { parseFeedQuestion, parseFeedReport } from '../feed/feed-messages.ts';
import type { FeedOptions, GatewayOptions } from '../options.ts';
import type { Caller } from '../request/callers.ts';
import { CapacitySlot } from '../request/capacity-slot.ts';
import { checkCapacity } from '../request/check-capacity.ts';
import { readJson } from '../request/request-body.ts';
import { readLines } from '../request/request-lines.ts';
import { storeUnavailable } from '../without-verdict.ts';

/** For 100 keys of 1,000 characters each, half of them escaped, and for 500 records. */
const [questionLimitBytes, reportLimitBytes] = [256 * 1024, 512 * 1024];

export function feedEndpoints(gateway: GatewayOptions): Endpoint[] {
  const { feed } = gateway;
  return feed === undefined
    ? []
    : [questionEndpoint(gateway, feed), streamEndpoint(gateway, feed), reportEndpoint(feed)];
}

function questionEndpoint(gateway: GatewayOptions, { tokens, edges }: FeedOptions): Endpoint {
  return {
    route: '/v1/feed',
    methods: ['POST'],
    answer: (exchange) => {
      checkFeedToken(exchange, tokens);
      checkMediaType(exchange, 'application/json');
      const respond = {
        answer: (text: string) => sendJson(exchange, text),
        fail: (error: unknown) => sendError(exchange, storeUnavailable(exchange, error)),
      };
      const use = (body: unknown) => ask(gateway, exchange.caller, edges, body, respond);
      readJson(exchange.request, use, (error) => sendError(exchange, error), questionLimitBytes);
    },
  };
}

function streamEndpoint(gateway: GatewayOptions, { tokens, edges }: FeedOptions): Endpoint {
  return {
    route: '/v1/feed/stream',
    methods: ['POST'],
    answer: (exchange) => {
      checkFeedToken(exchange, tokens);
      checkMediaType(exchange, 'application/x-ndjson');
      const answers = new AnswerStream(exchange);
      const respond = {
        answer: (text: string) => answers.send(text),
        fail: (error: unknown) => answers.fail(storeUnavailable(exchange, error)),
      };
      const line = (body: unknown) => {
        answers.begin();
        ask(gateway, exchange.caller, edges, body, respond);
      };
      const reject = (error: unknown) => answers.fail(error);
      readLines(exchange.request, { line, end: () => answers.end(), reject }, questionLimitBytes);
    },
  };
}

/** Asks, and holds places of the port until the answer. Throws for a body that is no question. */
function ask(
  gateway: GatewayOptions,
  caller: Caller,
  edges: FeedOptions['edges'],
  body: unknown,
  respond: FeedResponder,
): void {
  const question = parseFeedQuestion(body);
  const slots = question.keys.length + 1;
  checkCapacity(gateway, caller, slots);
  const slot = new CapacitySlot({ requests: gateway.requests, caller }, slots);
  edges.ask(question, {
    answer: (text) => {
      slot.hold(false);
      respond.answer(text);
    },
    fail: (error) => {
      slot.hold(false);
      respond.fail(error);
    },
  });
}

/** Reports wait for a write, and have a limit of their own: they must not use up the capacity for verifications. */
const maxPendingReports = 500;

function reportEndpoint({ tokens, controlPlane }: FeedOptions): Endpoint {
  let pending = 0;
  return {
    route: '/v1/feed/reports',
    methods: ['POST'],
    answer: (exchange) => {
      checkFeedToken(exchange, tokens);
      checkMediaType(exchange, 'application/json');
      const use = (body: unknown) => {
        const report = parseFeedReport(body, Date.now());
        if (pending >= maxPendingReports) {
          throw new LatchkeyError('UNAVAILABLE', 'Too many reports are under way; try again shortly.');
        }
        pending += 1;
        take(controlPlane, report)
          .finally(() => {
            pending -= 1;
          })
          .then(
            (totals) => sendJson(exchange, JSON.stringify(totals)),
            (error) => sendError(exchange, error),
          );
      };
      readJson(exchange.request, use, (error) => sendError(exchange, error), reportLimitBytes);
    },
  };
}

/** The rates last: a failed report is sent again as a whole, and rates matter only until their window ends. */
async function take(
  controlPlane: FeedOptions['controlPlane'],
  { usage, sources, rates }: FeedReport,
): Promise<FeedReportAnswer> {
  if (usage.length > 0) await controlPlane.addUsage(usage);
  if (sources.length > 0) await controlPlane.addSources(sources);
  return { totals: rates.length === 0 ? [] : await controlPlane.exchangeCounts(rates) };
}

function checkFeedToken({ request }: Exchange, tokens: FeedOptions['tokens']): void {
  if (tokens === null || tokens.has(bearerToken(request.headers.authorization))) return;
  throw new LatchkeyError('UNAUTHENTICATED', 'A token of an edge is needed here, one of FEED_TOKENS.');
}

/** Without a token, a web page could otherwise send a report to this machine: as text, which needs no permission. */
function checkMediaType({ request }: Exchange, type: 'application/json' | 'application/x-ndjson'): void {
  const [given = ''] = (request.headers['content-type'] ?? '').split(';');
  if (given.trim().toLowerCase() === type) return;
  throw new LatchkeyError('UNSUPPORTED_MEDIA_TYPE', `The body must be sent with Content-Type: ${type}.`);
}

function sendJson(exchange: Exchange, text: string): void {
  const { response } = exchange;
  const length = String(Buffer.byteLength(text));
  response.writeHead(200, ['content-type', 'application/json', 'content-length', length, 'cache-control', 'no-store']);
  response.end(text);
  countAnswer(exchange);
}
