/** The dashboard: static files, and the page that they belong to. */
import express, { type Router } from 'express';
import sirv from 'sirv';
import { pagesDirectory, readPage } from './page.ts';

export interface DashboardOptions {
  /** Where verifications are asked for, as the page shows it to somebody who came by this host name. */
  readonly verifyUrl: (hostname: string) => string;
}

export function dashboardRouter({ verifyUrl }: DashboardOptions): Router {
  const sendPage = readPage('index.html');
  const router = express.Router();
  router.get(['/', '/index.html'], (request, response) => {
    sendPage(response, { LATCHKEY_VERIFY_URL: verifyUrl(request.hostname) });
  });
  // Every other file has a hash of its content in its name, but for pages, which are sent as above or not at all.
  router.use(/\/[^/]+\.html$/, (_, _response, next) => next('router'));
  router.use(sirv(pagesDirectory, { gzip: true, brotli: true, immutable: true, maxAge: 31_536_000, extensions: [] }));
  return router;
}
