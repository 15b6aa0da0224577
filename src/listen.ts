import type { Server } from 'node:http';
import { cutSlowReaders, limitConnections } from './connections.ts';

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
  cutSlowReaders(server);
  limitConnections(server);
  return await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog: waitingConnections, exclusive }, () => {
      server.off('error', reject);
      // Where a connection can't be accepted, only that connection is lost. Unhandled, the event would end the process.
      server.on('error', () => undefined);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}
