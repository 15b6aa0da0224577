import { Server as HttpServer } from 'node:http';
import type { Server } from 'node:net';
import type { Configuration } from '../../config/configuration.ts';
import { answerHalfClosed, cutSlowReaders, limitConnections } from './connections.ts';

/** The maximum number of connections that the kernel queues. Further clients retry after 1, 3 and 7 seconds. */
const backlog = 4096;

/** The prefix of the variables that configure a port, such as `VERIFY_` in VERIFY_PORT. */
export type PortPrefix = '' | 'VERIFY_' | 'EXT_AUTHZ_' | 'METRICS_';
type Address = Readonly<Pick<Configuration, `${PortPrefix}HOST`>> & {
  readonly [Name in `${PortPrefix}PORT`]: number | undefined;
};

/**
 * Returns the port; the system chooses it if the configuration has 0. With `exclusive`, the process binds the port
 * itself, and connections do not pass through the supervisor. Otherwise, several processes share the port.
 */
export async function listen(
  server: Server,
  configuration: Partial<Address>,
  prefix: PortPrefix,
  exclusive = true,
): Promise<number> {
  const { [`${prefix}HOST` as const]: host = '127.0.0.1', [`${prefix}PORT` as const]: port = 0 } = configuration;
  if (server instanceof HttpServer) {
    answerHalfClosed(server);
    cutSlowReaders(server);
  }
  limitConnections(server);
  return await new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(listenProblem(prefix, host, port, error));
    server.once('error', fail);
    server.listen({ port, host, backlog, exclusive }, () => {
      server.off('error', fail);
      // If a connection can't be accepted, only this connection is lost. An unhandled event would end the process.
      server.on('error', () => undefined);
      const bound = server.address();
      resolve(typeof bound === 'object' && bound !== null ? bound.port : port);
    });
  });
}

/** Returns an error that names the variable and says what to do. */
export function listenProblem(prefix: PortPrefix, host: string, port: number, error: Error): Error {
  const code = 'code' in error ? String(error.code) : '';
  const problems: Readonly<Record<string, string>> = {
    EADDRINUSE: `${prefix}PORT: another program listens on port ${port} of ${host}; stop it, or set another port`,
    EACCES: `${prefix}PORT: this user may not listen on port ${port}; set a port from 1024 on`,
    EADDRNOTAVAIL: `${prefix}HOST: ${host} is not an address of this machine; set one that it has, or 0.0.0.0 for all`,
    ENOTFOUND: `${prefix}HOST: ${host} is not the name of an address; set an address`,
  };
  const problem = problems[code];
  return problem === undefined ? error : new Error(`${problem} (${code})`, { cause: error });
}
