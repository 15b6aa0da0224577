/** Serves the OpenAPI description of both ports, for programs and for people. */
import { readFile } from 'node:fs/promises';
import { type Request, type RequestHandler, Router } from 'express';
import { projectFile } from '../../lib/project-files.ts';
import type { DashboardOptions } from './dashboard.ts';
import { eventWebhooks } from './event-webhooks.ts';
import { onlyGet, readPage } from './page.ts';

/** The addresses of both ports in openapi.yaml. Responses have the actual addresses instead. */
const documented = { management: 'http://127.0.0.1:4000', verification: 'http://127.0.0.1:4001' };

/** A part of the description: bytes, or the address of a port, which depends on the request. */
type Part = Buffer | keyof typeof documented;

/**
 * Reads the description as JSON, in parts that are ready to send. Called at the first request and not at startup, because
 * few clients need it.
 */
async function readDescription(): Promise<readonly Part[]> {
  const { parse } = await import('yaml');
  const { components, ...description } = parse(await readFile(projectFile('openapi.yaml'), 'utf8'));
  const text = JSON.stringify({ ...description, webhooks: eventWebhooks(), components });
  const ports = new Map(
    Object.entries(documented).map(([port, url]) => [JSON.stringify(url), port as keyof typeof documented]),
  );
  return text.split(new RegExp(`(${[...ports.keys()].join('|')})`)).map((part) => ports.get(part) ?? Buffer.from(part));
}

export function openApiRouter({ verifyUrl, graphiql }: DashboardOptions, enter: RequestHandler): Router {
  const router = Router();
  const sendPage = readPage('openapi.html');
  let description: Promise<readonly Part[]> | undefined;
  router.all(['/openapi.json', '/openapi'], onlyGet, enter);
  router.get('/openapi.json', async (request, response) => {
    description ??= readDescription();
    const urls = { management: originOf(request), verification: verifyUrl(request.hostname) };
    const bytes = (await description).map((part) =>
      Buffer.isBuffer(part) ? part : Buffer.from(JSON.stringify(urls[part])),
    );
    response.setHeader('cache-control', 'no-store');
    response.type('json').send(Buffer.concat(bytes));
  });
  router.get('/openapi', (_, response) => sendPage(response, { LATCHKEY_GRAPHIQL: String(graphiql) }));
  return router;
}

/** Returns the URL by which the client reached the management port, so that Swagger UI calls its own origin. */
function originOf({ protocol, host }: Request): string {
  return host === undefined ? '/' : `${protocol}://${host}`;
}
