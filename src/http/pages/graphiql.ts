import type { RequestHandler } from 'express';
import Negotiator from 'negotiator';
import { readPage } from './page.ts';

const answers = ['application/json', 'application/graphql-response+json', 'text/html'];

/** Serves GraphiQL to clients that prefer HTML, such as a browser that opens `/graphql`. */
export function graphiql(): RequestHandler {
  const sendPage = readPage('graphiql.html');
  return ({ headers: { accept } }, response, next) => {
    if (new Negotiator({ headers: { accept } }).mediaType(answers) !== 'text/html') return next();
    response.vary('Accept');
    sendPage(response);
  };
}
