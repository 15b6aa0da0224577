import type { ServerResponse } from 'node:http';
import { alive, type Readiness, readinessAnswer } from '../domain/readiness.ts';

export const healthPaths: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** The same as on the management port. No token is required: load balancers have none, and nothing secret is sent. */
export async function sendHealth(
  path: string,
  response: ServerResponse,
  readiness: () => Promise<Readiness>,
): Promise<void> {
  const { status, body } = path === '/healthz' ? alive : readinessAnswer(await readiness());
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
  });
  response.end(text);
}
