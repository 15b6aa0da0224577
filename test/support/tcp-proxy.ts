/** A TCP proxy on loopback that can delay, block or silently drop traffic. */
import { once } from 'node:events';
import { createConnection, createServer, type Socket } from 'node:net';
import { freePort } from './free-port.ts';

export type TcpProxy = Awaited<ReturnType<typeof startTcpProxy>>;

/** One direction of a connection: what came in, and when it may go out. */
class Way {
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #held: { readonly chunk: Buffer | null; readonly due: number }[] = [];
  #open = true;
  #timer: NodeJS.Timeout | undefined;

  constructor(from: Socket, to: Socket, delayMs: () => number) {
    this.#from = from;
    this.#to = to;
    const hold = (chunk: Buffer | null) => {
      // In their order, also when the delay becomes shorter.
      const due = Math.max(performance.now() + delayMs(), this.#held.at(-1)?.due ?? 0);
      this.#held.push({ chunk, due });
      this.#pass();
    };
    from.on('data', hold);
    from.on('error', () => undefined);
    from.once('close', () => hold(null));
  }

  set open(open: boolean) {
    this.#open = open;
    this.#pass();
  }

  #pass(): void {
    clearTimeout(this.#timer);
    while (this.#open) {
      const [first] = this.#held;
      if (first === undefined) return;
      const rest = first.due - performance.now();
      if (rest > 0) {
        this.#timer = setTimeout(() => this.#pass(), rest);
        return;
      }
      this.#held.shift();
      if (first.chunk !== null) this.#to.write(first.chunk);
      else this.#to.end(() => this.#to.destroy());
    }
  }

  destroy(): void {
    this.#open = false;
    clearTimeout(this.#timer);
    this.#from.destroy();
  }
}

export async function startTcpProxy(targetPort: number) {
  const port = await freePort();
  const ways = new Set<Way>();
  let open = true;
  let delayMs = 0;

  const server = createServer((near) => {
    const far = createConnection(targetPort, '127.0.0.1');
    for (const socket of [near, far]) socket.setNoDelay();
    const both = [new Way(near, far, () => delayMs), new Way(far, near, () => 0)];
    for (const way of both) {
      way.open = open;
      ways.add(way);
    }
    let ended = 0;
    const gone = () => {
      ended += 1;
      if (ended === 2) for (const way of both) ways.delete(way);
    };
    for (const socket of [near, far]) socket.once('close', gone);
  });
  const listen = () => once(server.listen(port, '127.0.0.1'), 'listening');
  const cut = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const way of ways) way.destroy();
    ways.clear();
    await closed;
  };
  await listen();
  return {
    port,
    /** Delays traffic to the target. */
    delay: (ms: number) => {
      delayMs = ms;
    },
    /** Ends all connections, and rejects new ones. */
    cut,
    /** Keeps connections and accepts new ones, but forwards nothing, not even that one was closed. */
    blackHole: () => {
      open = false;
      for (const way of ways) way.open = false;
    },
    /** Forwards again what was held back; with `forget`, existing connections stay blocked forever. */
    restore: async ({ forget } = { forget: false }) => {
      delayMs = 0;
      open = true;
      if (!forget) for (const way of ways) way.open = true;
      if (!server.listening) await listen();
    },
    stop: cut,
  };
}
