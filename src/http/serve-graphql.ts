import { type ApolloServer, HeaderMap } from '@apollo/server';
import type { RequestHandler } from 'express';
import type { GraphQLContext } from '../graphql/context.ts';
import { queryOf } from '../lib/request-target.ts';

/**
 * Runs GraphQL operations over HTTP, on a body that was parsed before. Apollo's own integration for Express calls
 * `url.parse`, for which Node.js writes a deprecation warning (DEP0169).
 */
export function serveGraphQL(
  graphql: ApolloServer<GraphQLContext>,
  contextOf: (locals: Express.Locals) => GraphQLContext,
): RequestHandler {
  return async (request, response) => {
    const headers = new HeaderMap();
    for (const [name, value] of Object.entries(request.headers)) {
      if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
    }
    const answer = await graphql.executeHTTPGraphQLRequest({
      httpGraphQLRequest: { method: request.method, headers, search: queryOf(request.url), body: request.body },
      context: async () => contextOf(response.locals),
    });
    // The schema has no directive for incremental delivery.
    if (answer.body.kind !== 'complete') throw new Error('the response is incomplete');
    response
      .status(answer.status ?? 200)
      .setHeaders(answer.headers)
      .send(answer.body.string);
  };
}
