/** Stops a port: serves until load balancers have noticed the drain, then finishes the open requests. */
import type { Server } from 'node:http';
import type { Logger } from 'pino';
import type { ExtAuthzPort } from '../../gateway/ext-authz/server.ts';

/** How long open requests may take after the grace period before their connections are closed. */
export const drainTimeoutMs = 8000;
/** How often to close idle connections that were kept alive before the drain began. */
const idleCheckMs = 50;

/** Drains the main port of a process and, if it has one, the port for Envoy's external authorization. */
export async function drainPorts(server: Server, extAuthz: ExtAuthzPort | null, graceMs: number, log: Logger) {
  await Promise.all([drainServer(server, graceMs, log), extAuthz === null ? null : drainExtAuthz(extAuthz, graceMs)]);
}

async function drainExtAuthz({ server, closeConnections }: ExtAuthzPort, graceMs: number): Promise<void> {
  if (graceMs > 0) await new Promise((resolve) => setTimeout(resolve, graceMs));
  await new Promise((resolve) => {
    server.close(resolve);
    closeConnections(drainTimeoutMs);
  });
}

/** Resolves when all connections are closed. During the grace period, the port still accepts connections. */
async function drainServer(server: Server, graceMs: number, log: Logger): Promise<void> {
  // Closes each connection after its next response, so that the client's next connection can go to another instance.
  server.prependListener('request', (_, response) => {
    response.shouldKeepAlive = false;
  });
  if (graceMs > 0) await new Promise((resolve) => setTimeout(resolve, graceMs));
  const idle = setInterval(() => server.closeIdleConnections(), idleCheckMs);
  const deadline = setTimeout(() => {
    log.warn('requests were still open at the end of the drain');
    server.closeAllConnections();
  }, drainTimeoutMs);
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeIdleConnections();
  });
  clearInterval(idle);
  clearTimeout(deadline);
}
