import { readFileSync } from 'node:fs';
import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import type { Logger } from 'pino';
import type { OperationTallies } from '../metrics/operation-tallies.ts';
import type { CallSpans } from '../traces/call-spans.ts';
import { admitOperations } from './admission.ts';
import type { GraphQLContext } from './context.ts';
import { countOutcomes } from './count-outcomes.ts';
import { formatError, publicError } from './errors.ts';
import { graphqlMediaType } from './media-type.ts';
import { maxTokens } from './operation-limits.ts';
import { resolvers } from './resolvers.ts';
import { setRetryAfter } from './retry-after.ts';
import { traceOperations } from './trace-operations.ts';

export const typeDefs = readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8');

export async function startGraphQL(
  log: Logger,
  operations: OperationTallies,
  spans: CallSpans | null,
): Promise<ApolloServer<GraphQLContext>> {
  const server = new ApolloServer<GraphQLContext>({
    typeDefs,
    resolvers,
    formatError,
    logger: log,
    // Stack traces are for the log. Neither this nor introspection may hang on NODE_ENV.
    includeStacktraceInErrorResponses: false,
    introspection: true,
    hideSchemaDetailsFromClientErrors: true,
    persistedQueries: false,
    allowBatchedHttpRequests: false,
    // No page can send this header elsewhere without the browser asking first, and nothing is answered without it.
    csrfPrevention: { requestHeaders: ['authorization'] },
    stopOnTerminationSignals: false,
    parseOptions: { maxTokens },
    plugins: [
      countOutcomes(operations),
      ...(spans === null ? [] : [traceOperations(spans)]),
      admitOperations,
      logErrors(log),
      nameRequest,
      setRetryAfter,
      statusOfJson,
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginLandingPageDisabled(),
    ],
  });
  await server.start();
  return server;
}

/** What a caller is not told goes to the log, under the request id that they are told. */
function logErrors(log: Logger): ApolloServerPlugin<GraphQLContext> {
  return {
    requestDidStart: async ({ contextValue }) => ({
      didEncounterErrors: async ({ errors }) => {
        const requestId = contextValue.caller.requestId;
        for (const error of errors) {
          const refusal = publicError(error);
          if (refusal === null) log.error({ requestId, err: error.originalError ?? error }, 'operation failed');
          else if (refusal.cause !== undefined)
            log.warn({ requestId, err: refusal.cause, code: refusal.code }, 'operation refused');
        }
      },
    }),
  };
}

/** Every error says in which request it happened. */
const nameRequest: ApolloServerPlugin<GraphQLContext> = {
  requestDidStart: async ({ contextValue }) => ({
    willSendResponse: async ({ response }) => {
      if (response.body.kind !== 'single' || response.body.singleResult.errors === undefined) return;
      const { requestId } = contextValue.caller;
      response.body.singleResult.errors = response.body.singleResult.errors.map((error) => ({
        ...error,
        extensions: { ...error.extensions, requestId },
      }));
    },
  }),
};

/**
 * GraphQL over HTTP, section 6.4.1: as `application/json`, a well-formed request is answered 200, also where GraphQL
 * refuses it. Older clients take any other status for something that came from a proxy. As
 * `application/graphql-response+json` the status tells.
 */
const statusOfJson: ApolloServerPlugin<GraphQLContext> = {
  requestDidStart: async ({ request }) => ({
    willSendResponse: async ({ response }) => {
      if (request.http === undefined || !request.query || response.http.status !== 400) return;
      const mediaType = graphqlMediaType(request.http.headers.get('accept'));
      if (mediaType?.startsWith('application/json')) response.http.status = 200;
    },
  }),
};
