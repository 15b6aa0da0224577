/** Stops a process: keeps serving until load balancers have noticed, then finishes open requests. */
import type { Server } from 'node:http';

export interface DrainPlan {
  readonly servers: readonly Server[];
  /** The time for which ports still accept connections, while `/readyz` answers `draining`. */
  readonly graceMs: number;
  /** The time for open requests after the grace period. Then their connections are closed. */
  readonly timeoutMs: number;
  readonly onCutOff: () => void;
}

/** Resolves when all connections are closed. */
export async function drainServers({ servers, graceMs, timeoutMs, onCutOff }: DrainPlan): Promise<void> {
  for (const server of servers) closeConnectionsWithAnswers(server);
  if (graceMs > 0) await new Promise((resolve) => setTimeout(resolve, graceMs));
  const deadline = setTimeout(() => {
    onCutOff();
    for (const server of servers) server.closeAllConnections();
  }, timeoutMs);
  await Promise.all(servers.map(close));
  clearTimeout(deadline);
}

/** Closes each connection after its next response, so that the client's next connection can go to another instance. */
function closeConnectionsWithAnswers(server: Server): void {
  server.prependListener('request', (_, response) => {
    response.shouldKeepAlive = false;
  });
}

/** How often to close idle connections that were kept alive before the drain began. */
const idleCheckMs = 50;

async function close(server: Server): Promise<void> {
  const timer = setInterval(() => server.closeIdleConnections(), idleCheckMs);
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeIdleConnections();
  });
  clearInterval(timer);
}
