import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ApolloServer } from '@apollo/server';
import { type Request, type Response, Router } from 'express';
import { type FieldError, LatchkeyError } from '../domain/errors.ts';
import { acceptFields } from '../domain/parse-fields.ts';
import type { GraphQLContext } from '../graphql/context.ts';
import type { Management } from '../manage/management.ts';
import { parseBody, parseQuery } from './check-request.ts';
import { executor } from './execute.ts';
import type { RestRequest, Route } from './route.ts';
import { routes } from './routes.ts';

/** Creates an Express router for the REST calls. Expects `caller` and `takeTurn` in `response.locals`, and the parsed JSON as `request.body`. */
export function restRouter(server: ApolloServer<GraphQLContext>, management: Management): Router {
  const router = Router({ caseSensitive: true });
  for (const path of new Set(routes.map((route) => route.path))) {
    const atPath = routes.filter((route) => route.path === path);
    router.all(path, async (request: Request, response: Response) => {
      // Node omits the body of a response to HEAD.
      const method = request.method === 'HEAD' ? 'GET' : request.method;
      const route = atPath.find((candidate) => candidate.method === method);
      if (route === undefined) {
        response.setHeader('allow', atPath.map((candidate) => candidate.method).join(', '));
        throw new LatchkeyError('METHOD_NOT_ALLOWED', `${request.method} is not supported at this path.`);
      }
      await answer(route, server, management, request, response);
    });
  }
  return router;
}

async function answer(
  route: Route,
  server: ApolloServer<GraphQLContext>,
  management: Management,
  request: Request,
  response: Response,
): Promise<void> {
  const { searchParams } = new URL(request.originalUrl, 'http://localhost');
  const { headers } = request;
  const inputErrors: FieldError[] = [];
  const check: RestRequest['check'] = (fields) => acceptFields(fields, inputErrors);
  const query = parseQuery(route, searchParams, check);
  const body = parseBody(route, headers, request.body, check);
  const { caller, takeTurn } = response.locals;
  const execute = executor(server, management, caller, { takeTurn, inputErrors });
  const id = typeof request.params.id === 'string' ? request.params.id : undefined;
  const answered = await route.answer({ execute, check, id, query, body, headers });
  response
    .status(answered.status ?? 200)
    .set(answered.headers ?? {})
    .type('json');
  if (Symbol.asyncIterator in answered.body) {
    await pipeline(Readable.from(answered.body, { objectMode: true }), response);
  } else {
    // Not with `response.json`, which answers 304 to `If-None-Match`: the entity tag does not cover the use of a key.
    response.end(JSON.stringify(answered.body));
  }
}
