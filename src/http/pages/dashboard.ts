/** The dashboard: static files, and the page that they belong to. */
import express, { type RequestHandler, type Router } from 'express';
import { onlyGet, pagesDirectory, readPage } from './page.ts';
import { staticFiles } from './static-files.ts';

export interface DashboardOptions {
  /** Returns the URL of the verification port that the page shows to a client that used this host name. */
  readonly verifyUrl: (hostname: string) => string;
  /** Whether `/graphql` has a page, to which others then link. */
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
