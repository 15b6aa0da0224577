/** The OpenAPI description, for programs and for people. */
import { type RequestHandler, Router } from 'express';
import { openApiDocument, openApiPath } from '../openapi/document.ts';
import type { DashboardOptions } from './dashboard.ts';
import { onlyGet } from './only-get.ts';
import { readPage } from './page.ts';

/** In place of where the verification port is, which depends on who asks. */
const placeholder = 'latchkey:verification-port';

export function openApiRouter({ verifyUrl }: DashboardOptions, enter: RequestHandler): Router {
  const router = Router();
  const sendPage = readPage('openapi.html');
  let document: string | undefined;
  router.all([openApiPath, '/openapi'], onlyGet, enter);
  router.get(openApiPath, (request, response) => {
    // Not at the start: few ever ask, and everybody waits for it.
    document ??= JSON.stringify(openApiDocument({ verifyUrl: placeholder }));
    const url = JSON.stringify(verifyUrl(request.hostname));
    response.setHeader('cache-control', 'no-store');
    response.type('json').send(document.replaceAll(JSON.stringify(placeholder), () => url));
  });
  router.get('/openapi', (_, response) => sendPage(response));
  return router;
}
