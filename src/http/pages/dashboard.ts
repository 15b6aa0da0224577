/** Serves the dashboard: its page and the static files. */
import express, { type RequestHandler, type Router } from 'express';
import { onlyGet, pagesDirectory, readPage } from './page.ts';
import { staticFiles } from './static-files.ts';

export interface DashboardOptions {
  /** Returns the URL of the verification port that the page shows, from the host name of the client's request. */
  readonly verifyUrl: (hostname: string) => string;
  /** Whether `/graphql` serves GraphiQL, so that other pages link to it. */
  readonly graphiql: boolean;
}

export function dashboardRouter({ verifyUrl, graphiql }: DashboardOptions, enter: RequestHandler): Router {
  const sendPage = readPage('index.html');
  const router = express.Router();
  const pages = ['/', '/index.html'];
  router.all(pages, onlyGet, enter);
  router.get(pages, (request, response) => {
    sendPage(response, { LATCHKEY_VERIFY_URL: verifyUrl(request.hostname), LATCHKEY_GRAPHIQL: String(graphiql) });
  });
  router.use(staticFiles(pagesDirectory, enter));
  return router;
}
