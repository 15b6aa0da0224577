import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import type { Logger } from 'pino';
import type { OperationCounters } from '../metrics/operation-counters.ts';
import { admitOperations } from './admission.ts';
import type { GraphQLContext } from './context.ts';
import { formatError, publicError } from './errors.ts';
import { graphqlMediaType } from './media-type.ts';
import { observeOperations } from './observe-operations.ts';
import { maxDocumentErrors, maxTokens } from './operation-limits.ts';
import { resolvers } from './resolvers.ts';
import { typeDefs } from './type-defs.ts';

export async function startGraphQL(log: Logger, operations: OperationCounters): Promise<ApolloServer<GraphQLContext>> {
  const server = new ApolloServer<GraphQLContext>({
    typeDefs,
    resolvers,
    formatError,
    logger: log,
    // Keeps stack traces out of responses. Set explicitly, because the default depends on NODE_ENV.
    includeStacktraceInErrorResponses: false,
    introspection: true,
    hideSchemaDetailsFromClientErrors: true,
    persistedQueries: false,
    allowBatchedHttpRequests: false,
    // Every request needs this header, which browsers send to another origin only after a preflight request.
    csrfPrevention: { requestHeaders: ['authorization'] },
    stopOnTerminationSignals: false,
    parseOptions: { maxTokens },
    validationOptions: { maxErrors: maxDocumentErrors },
    plugins: [
      observeOperations(operations),
      admitOperations,
      reportErrors(log),
      completeResponse,
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginLandingPageDisabled(),
    ],
  });
  await server.start();
  return server;
}

/**
 * Logs masked errors, and the causes of other errors, with the request id of the response. Over REST, adds the errors to
 * the context instead.
 */
function reportErrors(log: Logger): ApolloServerPlugin<GraphQLContext> {
  return {
    requestDidStart: async ({ request, contextValue }) => ({
      didEncounterErrors: async ({ errors }) => {
        const requestId = contextValue.caller.requestId;
        for (const error of errors.map(publicError)) {
          const { code, cause } = error;
          if (request.http === undefined) contextValue.errors.push(error);
          else if (code === 'INTERNAL_SERVER_ERROR') log.error({ requestId, err: cause }, 'operation failed');
          else if (cause !== undefined) log.warn({ requestId, err: cause, code }, 'operation rejected');
        }
      },
    }),
  };
}

/**
 * Adds the request id to every error, and `Retry-After` for RATE_LIMITED errors. An `application/json` response to a
 * well-formed request that GraphQL rejects gets status 200 (GraphQL over HTTP, section 6.4.1).
 */
const completeResponse: ApolloServerPlugin<GraphQLContext> = {
  requestDidStart: async ({ request, contextValue: { caller } }) => ({
    willSendResponse: async ({ response: { body, http } }) => {
      if (body.kind !== 'single' || body.singleResult.errors === undefined) return;
      const { errors } = body.singleResult;
      const { requestId } = caller;
      body.singleResult.errors = errors.map((error) => ({ ...error, extensions: { ...error.extensions, requestId } }));
      const seconds = errors.map(({ extensions }) => Number(extensions?.retryAfterSeconds ?? 0));
      if (Math.max(...seconds) > 0) http.headers.set('retry-after', String(Math.max(...seconds)));
      if (request.http === undefined || !request.query || http.status !== 400) return;
      const mediaType = graphqlMediaType(request.http.headers.get('accept'));
      if (mediaType?.startsWith('application/json')) http.status = 200;
    },
  }),
};
