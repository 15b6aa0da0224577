import { createServer } from 'node:net';

/** A program needs several ports at once, and listens on them only later. */
const given = new Set<number>();

/**
 * Returns a free port of the loopback interface outside the range of outgoing connections. A client that repeatedly
 * connects to a port of that range, on which no server listens, eventually connects to itself and blocks the port.
 * Never returns the same port twice.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
