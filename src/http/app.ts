import type { RequestListener } from 'node:http';
import cors from 'cors';
import express from 'express';
import helmet from 'helmet';
import type { Logger } from 'pino';
import { Calls } from '../admission/calls.ts';
import { inOrder } from '../admission/in-order.ts';
import type { TokenRules } from '../auth/session-token.ts';
import { errorsPath, LatchkeyError } from '../domain/errors.ts';
import { receiptKeysPath } from '../domain/receipt/receipt.ts';
import { receiptJwks } from '../domain/receipt/receipt-signature.ts';
import { graphqlContext } from '../graphql/context.ts';
import { graphqlMediaType } from '../graphql/media-type.ts';
import { maxCost } from '../graphql/operation-limits.ts';
import type { GraphQLService } from '../graphql/server.ts';
import type { Management } from '../manage/management.ts';
import type { RequestCounters } from '../metrics/request-counters.ts';
import { errorsPage } from '../ports/errors-page.ts';
import type { Readiness } from '../ports/readiness.ts';
import { healthPaths } from '../ports/readiness.ts';
import { restRouter } from '../rest/handler.ts';
import type { Traces } from '../traces/spans.ts';
import { authentication, checkSignedBody } from './authentication.ts';
import { entrances } from './entrances.ts';
import { sendGraphQLError, sendRestError } from './errors.ts';
import { healthRouter } from './health.ts';
import { parseBody, parseShortBody, readBody } from './json-body.ts';
import { type LeakOptions, leakRouter } from './leak-router.ts';
import { countAnswers, inOriginForm, withoutRepeatedHeaders, withShortLists } from './listeners.ts';
import { type DashboardOptions, dashboardRouter } from './pages/dashboard.ts';
import { docsRouter } from './pages/docs.ts';
import { graphiql } from './pages/graphiql.ts';
import { openApiRouter } from './pages/openapi.ts';
import { onlyGet } from './pages/page.ts';
import { type RateLimitOptions, RateLimits } from './rate-limits.ts';
import { requestLog } from './request-log.ts';
import { serveGraphQL } from './serve-graphql.ts';
import { BrowserSessions, type SessionOptions } from './session/browser-sessions.ts';
import { sessionRouter } from './session/session-router.ts';
import { type TokenRouterParts, tokenRouter } from './token-router.ts';
import { traced } from './traced.ts';

const onVerificationPort = 'This is the management port (PORT). The path is on the verification port (VERIFY_PORT).';

/** The maximum number of requests that wait on one connection while another request is served. */
export const maxPipelined = 100;

export interface AppOptions {
  readonly graphql: GraphQLService;
  readonly management: Management;
  readonly tokens: TokenRules;
  readonly sessions: SessionOptions;
  readonly leaks: LeakOptions;
  readonly exchange: Pick<TokenRouterParts, 'issuers' | 'exchanged'>;
  readonly rateLimits: RateLimitOptions;
  readonly maxCalls: number;
  readonly requests: RequestCounters;
  /** Null if tracing is disabled. */
  readonly traces: Traces | null;
  readonly report: (error: unknown, what: string) => void;
  readonly readiness: () => Promise<Readiness>;
  readonly log: Logger;
  readonly corsOrigins: readonly string[];
  readonly dashboard: DashboardOptions;
  readonly trustProxy: number | readonly string[] | null;
}

/** The management port: health, GraphQL and REST on one Express application. */
export function createApp(options: AppOptions): RequestListener {
  const { readiness, log, trustProxy } = options;
  const { maxCalls, requests: counters, report } = options;
  const entries = entrances(new Calls({ maxCalls, maxCost, counters, report }));
  const { arrive, enter, enterPublic, enterSession, enterExchange } = entries;
  const app = express();
  app.disable('x-powered-by').disable('etag');
  if (trustProxy !== null) app.set('trust proxy', trustProxy);

  app.use(healthRouter(readiness));
  app.use(requestLog(log));
  app.all([...healthPaths], onlyGet);
  if (options.traces !== null) app.use(traced(options.traces));
  app.use(helmet());
  app.all(errorsPath, onlyGet, enterPublic, (_, response) => {
    const { headers, body } = errorsPage();
    response.set(headers).send(body);
  });
  app.all(receiptKeysPath, onlyGet, enterPublic, (_, response) => {
    response.json(receiptJwks(options.management.signingKeks));
  });
  app.use(docsRouter(enterPublic));
  app.use(openApiRouter(options.dashboard, enterPublic));
  app.use(dashboardRouter(options.dashboard, enterPublic));
  const rateLimits = new RateLimits(options.rateLimits);
  const sessions = new BrowserSessions(options.sessions, rateLimits);
  // Before CORS: only pages of the service start, renew and end sessions.
  app.use(
    sessionRouter({
      sessions,
      tokens: options.tokens,
      signIn: options.sessions.signIn,
      rateLimits,
      enter: enterSession,
      enterTeam: enter,
    }),
  );
  app.use((_, response, next) => {
    // Any response can contain a secret or data that only this caller has access to.
    response.setHeader('cache-control', 'no-store');
    next();
  });
  app.use(tokenRouter({ ...options.exchange, management: options.management, rateLimits, enter: enterExchange }));
  app.use(leakRouter({ ...options.leaks, ...entries, rateLimits }));
  if (options.corsOrigins.length > 0) app.use(allowOrigins(options.corsOrigins));
  addApi(app, options, [
    authentication({
      ...options,
      rules: options.tokens,
      limits: rateLimits,
      sessions,
      access: options.sessions.access,
      ...options.exchange,
    }),
    readBody,
    checkSignedBody,
    parseShortBody,
    enter,
    parseBody,
  ]);
  app.use(() => {
    throw new LatchkeyError('NOT_FOUND', 'There is nothing at this path.');
  });
  app.use(sendRestError);
  const answer = withShortLists(withoutRepeatedHeaders(arrive(app)));
  const serve = inOriginForm(countAnswers(options.requests, answer));
  return inOrder(serve, maxPipelined);
}

function addApi(app: express.Express, options: AppOptions, admit: express.RequestHandler[]): void {
  const { graphql, management } = options;
  const contextOf = (locals: Express.Locals) =>
    graphqlContext(management, locals.caller, {
      countOperations: locals.countOperations,
      call: locals.call,
      inputErrors: [],
      singleIsList: true,
    });
  if (options.dashboard.graphiql) app.get('/graphql', graphiql());
  app.use('/graphql', negotiateGraphQL, admit, serveGraphQL(graphql.server, contextOf), sendGraphQLError);
  const verification = ['verify', 'derive', 'authorize', 'introspect', 'keys/self', 'leaks', 'feed'];
  app.use(
    verification.map((path) => `/v1/${path}`),
    () => {
      throw new LatchkeyError('NOT_FOUND', onVerificationPort);
    },
  );
  app.use('/v1', admit);
  app.use(restRouter(graphql.runner, management));
}

function allowOrigins(origins: readonly string[]): express.RequestHandler {
  return cors({
    origin: [...origins],
    exposedHeaders: ['X-Request-Id', 'Location', 'Link', 'ETag', 'Retry-After', 'Latchkey-Revision'],
    maxAge: 600,
  });
}

/** Checks `Accept` before the operation. Apollo checks it afterwards, and would answer 406 for a change that was made. */
const negotiateGraphQL: express.RequestHandler = ({ headers }, response, next) => {
  response.vary('Accept');
  if (graphqlMediaType(headers.accept) === null) {
    throw new LatchkeyError(
      'NOT_ACCEPTABLE',
      'Responses are application/graphql-response+json or application/json, and Accept excludes both.',
    );
  }
  next();
};
