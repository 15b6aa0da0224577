import { ApolloServer, type ApolloServerPlugin, type GraphQLResponse, HeaderMap } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import { type ExecutionResult, GraphQLError, type GraphQLSchema, type ValidationRule } from 'graphql';
import type { Logger } from 'pino';
import type { OperationCounters } from '../metrics/operation-counters.ts';
import type { GraphQLContext } from './context.ts';
import { formatError, publicError } from './errors.ts';
import { graphqlMediaType } from './media-type.ts';
import { operationOf } from './operation.ts';
import { maxDocumentErrors, maxTokens } from './operation-limits.ts';
import { resolvers } from './resolvers.ts';
import { OperationRunner } from './run-operation.ts';
import { typeDefs } from './type-defs.ts';

export interface GraphQLService {
  /** Reads, parses and validates documents over HTTP, and runs them with the runner. */
  readonly server: ApolloServer<GraphQLContext>;
  readonly runner: OperationRunner;
}

export async function startGraphQL(log: Logger, counters: OperationCounters): Promise<GraphQLService> {
  const schemas: GraphQLSchema[] = [];
  const server: ApolloServer<GraphQLContext> = new ApolloServer<GraphQLContext>({
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
    validationRules: [knownOperationType],
    plugins: [
      {
        serverWillStart: async ({ schema }) => {
          schemas.push(schema);
        },
      },
      runOperations(() => runner, counters, log),
      completeResponse,
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginLandingPageDisabled(),
    ],
  });
  await server.start();
  const [schema] = schemas;
  if (schema === undefined) throw new Error('Apollo Server has started without a schema');
  const runner = new OperationRunner(schema, counters);
  return { server, runner };
}

/** graphql-js takes any fields of a type of operation that the schema does not have, and fails when it executes them. */
const knownOperationType: ValidationRule = (context) => ({
  OperationDefinition: (node) => {
    if (context.getSchema().getRootType(node.operation) != null) return;
    context.reportError(new GraphQLError(`The schema has no ${node.operation}.`, { nodes: node }));
  },
});

/**
 * Runs the operations of valid documents in place of Apollo, and logs errors: masked ones, and the causes of other errors,
 * with the request id of the response. Counts documents that are not valid as `invalid`, because a client could put any
 * names into them.
 */
function runOperations(
  runner: () => OperationRunner,
  counters: OperationCounters,
  log: Logger,
): ApolloServerPlugin<GraphQLContext> {
  return {
    requestDidStart: async ({ contextValue }) => {
      let isValid = false;
      const { requestId } = contextValue.caller;
      const report = (errors: readonly GraphQLError[]) => {
        for (const { code, cause } of errors.map(publicError)) {
          if (code === 'INTERNAL_SERVER_ERROR') log.error({ requestId, err: cause }, 'operation failed');
          else if (cause !== undefined) log.warn({ requestId, err: cause, code }, 'operation rejected');
        }
      };
      return {
        responseForOperation: async ({ document, operation, request }) => {
          // Apollo reports why there is no operation.
          if (operation === undefined) return null;
          isValid = true;
          const result = await runner().run(operationOf(document, operation), request.variables ?? {}, contextValue);
          report(result.errors ?? []);
          return responseOf(result);
        },
        didEncounterErrors: async ({ errors }) => report(errors),
        willSendResponse: async ({ errors: [error] = [] }) => {
          if (!isValid) counters.add('invalid', error === undefined ? 'OK' : publicError(error).code);
        },
      };
    },
  };
}

/** Returns the response with the status and headers of a rejection. */
function responseOf({ data, errors }: ExecutionResult): GraphQLResponse {
  const http = errors?.find(({ extensions }) => extensions.http !== undefined)?.extensions.http;
  const head = { status: data === undefined ? 500 : undefined, headers: new HeaderMap(), ...Object(http) };
  const formatted = errors?.map((error) => formatError(error.toJSON(), error));
  const singleResult = {
    ...(data === undefined ? {} : { data }),
    ...(formatted === undefined ? {} : { errors: formatted }),
  };
  return { http: head, body: { kind: 'single', singleResult } };
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
      if (!request.query || http.status !== 400) return;
      const mediaType = graphqlMediaType(request.http?.headers.get('accept'));
      if (mediaType?.startsWith('application/json')) http.status = 200;
    },
  }),
};
