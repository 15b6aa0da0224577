/** `POST /v1/feed` and `POST /v1/feed/reports`: what edges ask, and what they report. docs/edge.md describes both. */
import { bearerToken } from '../../domain/bearer-token.ts';
import { LatchkeyError } from '../../domain/errors.ts';
import type { FeedReport, FeedReportAnswer } from '../../domain/feed-messages.ts';
import { CapacitySlot } from '../capacity-slot.ts';
import { checkCapacity } from '../check-capacity.ts';
import type { Endpoint } from '../endpoint.ts';
import { countAnswer, type Exchange, sendError } from '../exchange.ts';
import { parseFeedQuestion, parseFeedReport } from '../feed-messages.ts';
import type { FeedOptions, GatewayOptions } from '../options.ts';
import { readJson } from '../request-body.ts';
import { storeUnavailable } from '../without-verdict.ts';

/** For 100 keys of 1,000 characters each, half of them escaped, and for 500 records. */
const [questionLimitBytes, reportLimitBytes] = [256 * 1024, 512 * 1024];

export function feedEndpoints(gateway: GatewayOptions): Endpoint[] {
  const { feed } = gateway;
  return feed === undefined ? [] : [questionEndpoint(gateway, feed), reportEndpoint(gateway, feed)];
}

function questionEndpoint(gateway: GatewayOptions, { tokens, edges }: FeedOptions): Endpoint {
  return {
    route: '/v1/feed',
    methods: ['POST'],
    answer: (exchange) => {
      checkFeedToken(exchange, tokens);
      const use = (body: unknown) => {
        const question = parseFeedQuestion(body);
        checkCapacity(gateway, question.keys.length + 1);
        const slot = new CapacitySlot(gateway.requests);
        edges.ask(question, {
          answer: (text) => {
            slot.hold(false);
            sendJson(exchange, text);
          },
          fail: (error) => {
            slot.hold(false);
            sendError(exchange, storeUnavailable(exchange, error));
          },
        });
      };
      readJson(exchange.request, use, (error) => sendError(exchange, error), questionLimitBytes);
    },
  };
}

function reportEndpoint(gateway: GatewayOptions, { tokens, controlPlane }: FeedOptions): Endpoint {
  return {
    route: '/v1/feed/reports',
    methods: ['POST'],
    answer: (exchange) => {
      checkFeedToken(exchange, tokens);
      const use = (body: unknown) => {
        const report = parseFeedReport(body, Date.now());
        checkCapacity(gateway);
        const slot = new CapacitySlot(gateway.requests);
        take(controlPlane, report)
          .finally(() => slot.hold(false))
          .then(
            (totals) => sendJson(exchange, JSON.stringify(totals)),
            (error) => sendError(exchange, error),
          );
      };
      readJson(exchange.request, use, (error) => sendError(exchange, error), reportLimitBytes);
    },
  };
}

/** The rates last: what failed is sent again as a whole, and they matter only until their window ends. */
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

function sendJson(exchange: Exchange, text: string): void {
  const { response } = exchange;
  const length = String(Buffer.byteLength(text));
  response.writeHead(200, ['content-type', 'application/json', 'content-length', length, 'cache-control', 'no-store']);
  response.end(text);
  countAnswer(exchange);
}
