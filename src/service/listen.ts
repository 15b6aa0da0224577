import type { Server } from 'node:http';
import { cutSlowReaders, limitConnections } from './connections.ts';

/**
 * Connections that the kernel keeps until we accept them. When many clients come at once, those beyond it would try
 * again only after one, three and seven seconds.
 */
const waitingConnections = 4096;

/** Where to listen, and which variables say so. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  readonly hostVariable: string;
  readonly portVariable: string;
}

/**
 * Returns the port, which is a free one where 0 is given. `exclusive`: the process binds the port itself, so that
 * connections do not pass through the supervisor; otherwise it is shared with the other processes.
 */
export async function listen(server: Server, address: ListenAddress, exclusive = true): Promise<number> {
  const { host, port } = address;
  cutSlowReaders(server);
  limitConnections(server);
  return await new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(listenProblem(address, error));
    server.once('error', fail);
    server.listen({ port, host, backlog: waitingConnections, exclusive }, () => {
      server.off('error', fail);
      // Where a connection can't be accepted, only that connection is lost. Unhandled, the event would end the process.
      server.on('error', () => undefined);
      const bound = server.address();
      resolve(typeof bound === 'object' && bound !== null ? bound.port : port);
    });
  });
}

/** Names the variable to change. */
function listenProblem({ host, port, hostVariable, portVariable }: ListenAddress, error: Error): Error {
  const code = 'code' in error ? String(error.code) : '';
  const problems: Readonly<Record<string, string>> = {
    EADDRINUSE: `${portVariable}: another program listens on port ${port} of ${host}; stop it, or set another port`,
    EACCES: `${portVariable}: this user may not listen on port ${port}; set a port from 1024 on`,
    EADDRNOTAVAIL: `${hostVariable}: ${host} is not an address of this machine`,
    ENOTFOUND: `${hostVariable}: ${host} is not the name of an address`,
  };
  const problem = problems[code];
  return problem === undefined ? error : new Error(`${problem} (${code})`, { cause: error });
}
