import type { Server } from 'node:http';
import { answerHalfClosed, cutSlowReaders, limitConnections } from './connections.ts';

/**
 * Connections that the kernel queues until the process accepts them. Clients above the limit retry only after one, three
 * and seven seconds.
 */
const backlog = 4096;

/** The address to listen on, and the variables that configure it. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  readonly hostVariable: string;
  readonly portVariable: string;
}

/**
 * Returns the port, which the system chooses if 0 is given. With `exclusive`, the process binds the port itself, and
 * connections do not pass through the supervisor. Otherwise the port is shared with the other processes.
 */
export async function listen(server: Server, address: ListenAddress, exclusive = true): Promise<number> {
  const { host, port } = address;
  answerHalfClosed(server);
  cutSlowReaders(server);
  limitConnections(server);
  return await new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(listenProblem(address, error));
    server.once('error', fail);
    server.listen({ port, host, backlog, exclusive }, () => {
      server.off('error', fail);
      // A connection that can't be accepted is lost, and no other one. An unhandled event would end the process.
      server.on('error', () => undefined);
      const bound = server.address();
      resolve(typeof bound === 'object' && bound !== null ? bound.port : port);
    });
  });
}

/** Returns an error that names the variable to change. */
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
