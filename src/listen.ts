import type { Server } from 'node:http';

/**
 * Connections that the kernel keeps until we accept them. When many clients come at once, those beyond it would try
 * again only after one, three and seven seconds.
 */
const waitingConnections = 4096;

/** Answers the port that it is, where any free one was asked for. */
export async function listen(server: Server, host: string, port: number): Promise<number> {
  return await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog: waitingConnections }, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}
