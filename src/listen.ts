import type { Server } from 'node:http';

/**
 * Connections that the kernel keeps until we accept them. When many clients come at once, those beyond it would try
 * again only after one, three and seven seconds.
 */
const waitingConnections = 4096;

/**
 * Returns the port, which is a free one where 0 is given. `exclusive`: the process binds the port itself, so that
 * connections do not pass through the supervisor; otherwise it is shared with the other processes.
 */
export async function listen(server: Server, host: string, port: number, exclusive = true): Promise<number> {
  return await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog: waitingConnections, exclusive }, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}
