import type { Socket } from 'node:net';
import { shareHolderOf } from '../domain/source/client-network.ts';
import { LruMap } from '../lib/lru-map.ts';

interface Connection {
  readonly network: ClientNetwork;
  /** Unique among the connections of the process. */
  readonly name: string;
}

const maxDelayMs = 2000;
const maxDelayed = 10_000;

/**
 * An IPv4 address or IPv6 /64 that has connections, or holds slots of the capacity. After its last connection closes, it
 * is remembered until it releases its slots, so that they still count if it connects again.
 */
export class ClientNetwork {
  readonly name: string;
  readonly #forget: () => void;
  #connections = 0;
  #slots = 0;

  constructor(name: string, forget: () => void) {
    this.name = name;
    this.#forget = forget;
  }

  get slots(): number {
    return this.#slots;
  }

  /** Counts slots or connections that begin (positive) or end (negative). */
  count(slots: number, connections: number): void {
    this.#slots += slots;
    this.#connections += connections;
    if (this.#connections === 0 && this.#slots === 0) this.#forget();
  }
}

export class ClientNetworks {
  readonly #byName = new Map<string, ClientNetwork>();
  readonly #connections = new WeakMap<Socket, Connection>();
  readonly #delayedUntil = new LruMap<number>(maxDelayed);
  #added = 0;

  /** Called when a connection begins, so that the address is looked up once per connection. */
  add(socket: Socket): Connection {
    const name = shareHolderOf(socket.remoteAddress);
    const network = this.#byName.get(name) ?? new ClientNetwork(name, () => this.#byName.delete(name));
    this.#byName.set(name, network);
    network.count(0, 1);
    socket.once('close', () => network.count(0, -1));
    this.#added += 1;
    if ((this.#delayedUntil.get(name) ?? 0) > performance.now()) delay(socket);
    const connection = { network, name: String(this.#added) };
    this.#connections.set(socket, connection);
    return connection;
  }

  /**
   * Called when a connection was closed for too many pipelined requests. Node parses everything that one read contains,
   * which takes milliseconds, so a client that connects again and again could keep the process busy before any of its
   * requests waits for a turn (the attack pipelining).
   */
  delayNewConnections(socket: Socket): void {
    this.#delayedUntil.set(this.of(socket).network.name, performance.now() + maxDelayMs);
  }

  of(socket: Socket): Connection {
    return this.#connections.get(socket) ?? this.add(socket);
  }
}

/** Pauses reading for a random time, so that delayed connections are not all read at the same time. */
function delay(socket: Socket): void {
  socket.pause();
  const timer = setTimeout(() => socket.resume(), Math.random() * maxDelayMs);
  socket.once('close', () => clearTimeout(timer));
}
