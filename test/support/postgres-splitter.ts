/** A read/write splitter for PostgreSQL: decides for each connection, by its application name, where it leads. */
import { once } from 'node:events';
import { createConnection, createServer, type Socket } from 'node:net';

export type PostgresSplitter = Awaited<ReturnType<typeof startPostgresSplitter>>;

export async function startPostgresSplitter(primaryUrl: string, standbyUrl: string) {
  const [primaryPort, standbyPort] = [Number(new URL(primaryUrl).port), Number(new URL(standbyUrl).port)];
  const sockets = new Set<Socket>();
  let names: readonly string[] = [];
  let isFailedOver = false;
  const server = createServer((near) => {
    keep(near);
    // The startup message comes first and has the name in plain text, between zero bytes.
    near.once('data', (startup) => {
      const isNamed = isFailedOver || names.some((name) => startup.includes(`\0${name}\0`));
      const far = createConnection(isNamed ? standbyPort : primaryPort, '127.0.0.1');
      keep(far);
      far.write(startup);
      near.pipe(far).pipe(near);
    });
  });
  function keep(socket: Socket): void {
    sockets.add(socket);
    socket.setNoDelay();
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  }
  const endAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the splitter listens on no port');
  return {
    url: primaryUrl.replace(`:${primaryPort}`, `:${address.port}`),
    /** New connections with these application names lead to the standby, all others to the primary; open ones end. */
    toStandby: (...applicationNames: readonly string[]) => {
      names = applicationNames;
      endAll();
    },
    /** All connections lead to the standby from now on. */
    failOver: () => {
      isFailedOver = true;
      endAll();
    },
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      endAll();
      await closed;
    },
  };
}
