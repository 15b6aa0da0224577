import { createServer } from 'node:net';

/** Below the range from which systems take the ports of outgoing connections, which starts at 32,768 with Linux. */
const [first, count] = [12_000, 20_000];
/** Each worker of vitest takes ports from a part of its own, and other programs take theirs from one more. */
const parts = 4;
const part = Number(process.env.VITEST_POOL_ID ?? 0) % parts;
const portsInPart = count / parts;
let taken = Math.floor(Math.random() * portsInPart);

/**
 * Returns a free port of the loopback interface outside the range of outgoing connections. A client that repeatedly
 * connects to a port of that range, on which no server listens, eventually connects to itself and blocks the port.
 * Returns the same port again only after all others, so that nothing listens on the port of a server that has stopped.
 * A port that the system chooses (port 0) can go to a server of another test as soon as it is free.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + part + parts * (taken % portsInPart);
    taken += 1;
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
