/** `GET /healthz` and `GET /readyz`, the same as on the management port. */
import type { ServerResponse } from 'node:http';
import { alive, type Readiness, readinessAnswer } from '../../wire/readiness.ts';
import type { Endpoint } from '../endpoint.ts';
import { countAnswer } from '../exchange.ts';
import type { PortOptions } from '../options.ts';

export const healthPaths = ['/healthz', '/readyz'] as const;

/** They require no token: load balancers have none, and nothing secret is sent. */
export function healthEndpoints({ readiness }: PortOptions): Endpoint[] {
  return healthPaths.map((route) => ({
    route,
    methods: ['GET', 'HEAD'],
    answer: (exchange) => {
      void sendHealth(route, exchange.response, readiness).then(() => countAnswer(exchange));
    },
  }));
}

async function sendHealth(
  path: (typeof healthPaths)[number],
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
