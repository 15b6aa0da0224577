/** How a process stops: it says so, goes on for as long as load balancers need to notice, and finishes what is open. */
import type { Server } from 'node:http';

export interface DrainPlan {
  readonly servers: readonly Server[];
  /** For so long both ports accept connections as before, while `/readyz` says that the instance is going away. */
  readonly graceMs: number;
  /** After the grace, open requests are finished within this; then they are cut off. */
  readonly timeoutMs: number;
  readonly onCutOff: () => void;
}

/** Resolves when nothing is open any more. */
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

/** From now on, every answer asks its client to come again on another connection: to another instance. */
function closeConnectionsWithAnswers(server: Server): void {
  server.prependListener('request', (_, response) => {
    response.shouldKeepAlive = false;
  });
}

/** How often to look for connections that were kept alive by an answer from before the drain. */
const idleCheckMs = 50;

async function close(server: Server): Promise<void> {
  const timer = setInterval(() => server.closeIdleConnections(), idleCheckMs);
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeIdleConnections();
  });
  clearInterval(timer);
}
