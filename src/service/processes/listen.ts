import type { Server } from 'node:http';
import type { Configuration } from '../../config/configuration.ts';
import { answerHalfClosed, cutSlowReaders, limitConnections } from './connections.ts';

/** Connections that the kernel queues. Clients above the limit retry only after one, three and seven seconds. */
const backlog = 4096;

/** The port to listen on: the start of the names of the variables that configure it. */
export type PortPrefix = '' | 'VERIFY_' | 'METRICS_';
type Address = Readonly<Pick<Configuration, `${PortPrefix}HOST`>> & {
  readonly [Name in `${PortPrefix}PORT`]: number | undefined;
};

/**
 * Returns the port, which the system chooses if 0 is given. With `exclusive`, the process binds the port itself, and
 * connections do not pass through the supervisor. Otherwise the port is shared with the other processes.
 */
export async function listen(
  server: Server,
  configuration: Partial<Address>,
  prefix: PortPrefix,
  exclusive = true,
): Promise<number> {
  const { [`${prefix}HOST` as const]: host = '127.0.0.1', [`${prefix}PORT` as const]: port = 0 } = configuration;
  answerHalfClosed(server);
  cutSlowReaders(server);
  limitConnections(server);
  return await new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(listenProblem(prefix, host, port, error));
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

function listenProblem(prefix: PortPrefix, host: string, port: number, error: Error): Error {
  const code = 'code' in error ? String(error.code) : '';
  const problems: Readonly<Record<string, string>> = {
    EADDRINUSE: `${prefix}PORT: another program listens on port ${port} of ${host}; stop it, or set another port`,
    EACCES: `${prefix}PORT: this user may not listen on port ${port}; set a port from 1024 on`,
    EADDRNOTAVAIL: `${prefix}HOST: ${host} is not an address of this machine`,
    ENOTFOUND: `${prefix}HOST: ${host} is not the name of an address`,
  };
  const problem = problems[code];
  return problem === undefined ? error : new Error(`${problem} (${code})`, { cause: error });
}
