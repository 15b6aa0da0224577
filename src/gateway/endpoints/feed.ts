/** The feed for edges: single requests, streams with one request per line, and reports (wire/feed-messages.ts). */
import { Slots } from '../../admission/slots.ts';
import { badInput, LatchkeyError } from '../../domain/errors.ts';
import { bearerToken } from '../../lib/bearer-token.ts';
import { mediaTypeOf } from '../../lib/content-type.ts';
import type { FeedReport, FeedReportAnswer } from '../../wire/feed-messages.ts';
import { CapacitySlot, checkCapacity } from '../capacity.ts';
import { sendError, withoutVerdict } from '../errors.ts';
import { countAnswer, type Exchange, sendJson } from '../exchange.ts';
import type { FeedOptions, GatewayOptions } from '../options.ts';
import { parseFeedReport, parseFeedRequest } from '../request/feed-messages.ts';
import { readJson, readLines } from '../request/json-body.ts';
import { checkToken } from '../request/tokens.ts';
import type { GatewayEndpoint } from '../router.ts';

/** Enough for 100 keys of 1,000 characters each, half of which are escaped, and for 500 records. */
const [requestLimitBytes, reportLimitBytes] = [256 * 1024, 512 * 1024];

export function feedEndpoints(gateway: GatewayOptions): GatewayEndpoint[] {
  const { feed } = gateway;
  if (feed === undefined) return [];
  const endpoint = (route: string, mediaType: string, answer: (exchange: Exchange) => void): GatewayEndpoint => ({
    route,
    methods: ['POST'],
    answer: (exchange) => {
      const { authorization, 'content-type': contentType } = exchange.request.headers;
      checkToken(feed.tokens, bearerToken(authorization), 'edge');
      checkMediaType(contentType, mediaType);
      answer(exchange);
    },
  });
  return [
    endpoint('/v1/feed', 'application/json', (exchange) => answerOne(gateway, feed, exchange)),
    endpoint('/v1/feed/stream', 'application/x-ndjson', (exchange) => answerStream(gateway, feed, exchange)),
    endpoint('/v1/feed/reports', 'application/json', takeReports(feed)),
  ];
}

function answerOne(gateway: GatewayOptions, feed: FeedOptions, exchange: Exchange): void {
  const use = (body: unknown) => {
    answerTo(gateway, feed, exchange, body)
      .then((text) => sendJson(exchange, 200, text))
      .catch((error) => sendError(exchange, withoutVerdict(exchange, error)));
  };
  readJson(exchange.request, use, (error) => sendError(exchange, error), { objectBytes: requestLimitBytes });
}

/** Answers each line of the request with one line of the response, one at a time. */
function answerStream(gateway: GatewayOptions, feed: FeedOptions, exchange: Exchange): void {
  const { request, response } = exchange;
  let [startedAt, isPending, isLast] = [0, false, false];
  const start = () => {
    if (response.headersSent) return;
    // `x-accel-buffering: no` makes nginx forward each line at once.
    const headers = ['content-type', 'application/x-ndjson', 'cache-control', 'no-store', 'x-accel-buffering', 'no'];
    response.writeHead(200, headers);
  };
  const answer = (text: string) => {
    isPending = false;
    if (response.destroyed || response.writableEnded) return;
    start();
    if (isLast) response.end(`${text}\n`);
    else response.write(`${text}\n`);
    countAnswer({ ...exchange, startedAt });
  };
  // After the first answer, no error status can be sent. The client repeats the line as a single request.
  const reject = (error: unknown) => {
    if (response.headersSent) response.destroy();
    else sendError(exchange, error);
  };
  const line = (body: unknown) => {
    if (isPending || response.writableNeedDrain) {
      throw badInput([{ field: 'body', message: 'must have one line at a time; read its answer before the next' }]);
    }
    isPending = true;
    startedAt = performance.now();
    answerTo(gateway, feed, exchange, body)
      .then(answer)
      .catch((error) => reject(withoutVerdict(exchange, error)));
  };
  const end = () => {
    isLast = true;
    if (isPending) return;
    start();
    response.end();
  };
  readLines(request, { line, end, reject }, requestLimitBytes);
}

/** Holds slots of the port until the answer. Throws if the body is not valid or too few slots are free. */
function answerTo(gateway: GatewayOptions, { edges }: FeedOptions, exchange: Exchange, body: unknown): Promise<string> {
  const request = parseFeedRequest(body);
  const slots = request.keys.length + 1;
  checkCapacity(gateway, exchange.network, slots);
  const slot = new CapacitySlot(exchange, slots);
  return edges.handle(request).finally(() => slot.release());
}

/** Reports wait for a write. Their own limit keeps them from using up the capacity for verifications. */
const maxPendingReports = 500;

function takeReports({ controlPlane }: FeedOptions): (exchange: Exchange) => void {
  const slots = new Slots(maxPendingReports);
  return (exchange) => {
    const use = (body: unknown) => {
      const report = parseFeedReport(body, Date.now());
      const slot = slots.take([]);
      if (slot.outcome !== 'taken') {
        throw new LatchkeyError('UNAVAILABLE', 'Too many reports are under way; try again shortly.');
      }
      record(controlPlane, report)
        .finally(slot.release)
        .then(
          (totals) => sendJson(exchange, 200, JSON.stringify(totals)),
          (error) => sendError(exchange, error),
        );
    };
    readJson(exchange.request, use, (error) => sendError(exchange, error), { objectBytes: reportLimitBytes });
  };
}

/** Adds the rates last, so that they are not added twice when another part fails and the whole report is sent again. */
async function record(
  controlPlane: FeedOptions['controlPlane'],
  { usage, sources, rates }: FeedReport,
): Promise<FeedReportAnswer> {
  if (usage.length > 0) await controlPlane.addUsage(usage);
  if (sources.length > 0) await controlPlane.addSources(sources);
  return { totals: rates.length === 0 ? [] : await controlPlane.addRates(rates) };
}

/** Keeps web pages from sending reports to a port without tokens: as text/plain, they would need no CORS permission. */
function checkMediaType(contentType: string | undefined, expected: string): void {
  if (mediaTypeOf(contentType) === expected) return;
  throw new LatchkeyError('UNSUPPORTED_MEDIA_TYPE', `The body must be sent with Content-Type: ${expected}.`);
}
