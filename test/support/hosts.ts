/** Where the servers of a program run: on the loopback interface, or on a host of `test/chaos/network`. */
export interface Host {
  readonly address: string;
  /** The command that starts another one there; empty for this host. */
  readonly launcher: readonly string[];
  /** What its verification ports require of callers. */
  readonly token?: string;
}

export const thisHost: Host = { address: '127.0.0.1', launcher: [] };

const hosts = new Map<number, Host>();

/** Servers that run at the same time have different ports (`freePort`), so the port of a server tells its host. */
export function placePort(port: number, host: Host): void {
  hosts.set(port, host);
}

export function hostOf(port: number): Host {
  return hosts.get(port) ?? thisHost;
}
