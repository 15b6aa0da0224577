/** `GET /healthz` and `GET /readyz`, the same as on the management port. */
import { alive, healthPaths, readinessAnswer } from '../../ports/readiness.ts';
import { type Exchange, sendJson } from '../exchange.ts';
import type { PortOptions } from '../options.ts';
import type { GatewayEndpoint } from '../router.ts';

/** The health endpoints. They require no token, because load balancers have none and the answers are not secret. */
export function healthEndpoints({ readiness }: PortOptions): GatewayEndpoint[] {
  const send = async (exchange: Exchange, route: string) => {
    const { status, body } = route === '/healthz' ? alive : readinessAnswer(await readiness());
    sendJson(exchange, status, JSON.stringify(body));
  };
  return healthPaths.map((route) => ({
    route,
    methods: ['GET', 'HEAD'],
    answer: (exchange) => void send(exchange, route),
  }));
}
