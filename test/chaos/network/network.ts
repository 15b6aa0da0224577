/** Hosts on this machine, each in a network namespace of its own, and the network between them (forwarder.c). */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { networkInterfaces, userInfo } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Random } from '../../harness/random.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/temporary-database.ts';

/** Of one direction. */
export interface Quality {
  readonly delayMs: number;
  /** The share of packets that are lost, from 0 to 1. */
  readonly loss: number;
}

export interface Place {
  /** Its number in the network. */
  readonly number: number;
  readonly address: string;
  /** Runs a program there. */
  readonly launcher: readonly string[];
}

/** The name of the host that this program is on. */
export const thisProgram = 'this program';

/** Returns why this machine can't have such hosts; empty if it can. */
export function whyNoHosts(): string {
  if (process.platform !== 'linux') return 'only Linux has network namespaces';
  if (userInfo().uid !== 0) return 'only root can create network namespaces';
  if (!existsSync('/dev/net/tun')) return 'there is no /dev/net/tun';
  const needed = [
    ['unshare', '--net', 'true'],
    ['nsenter', '--version'],
    ['gcc', '--version'],
  ] as const;
  const failing = needed.filter(([program, ...options]) => !succeeds(program, options));
  return failing.map((command) => `${command.join(' ')} fails`).join(', ');
}

function succeeds(program: string, options: readonly string[]): boolean {
  try {
    execFileSync(program, options, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Everything ends with the forwarder, and the forwarder with this program, also if that is killed. */
export class Network {
  readonly #forwarder: ChildProcess;
  readonly #exit: Promise<unknown>;
  /** What it writes. Calls of `next` get the lines in their order. */
  readonly #lines: AsyncIterator<string>;
  readonly #directory: TemporaryDirectory;
  readonly #places = new Map<string, Place>();

  private constructor(prefix: string, count: number, seed: number) {
    this.#directory = temporaryDirectory();
    const program = join(this.#directory.path, 'forwarder');
    execFileSync('gcc', ['-O2', '-o', program, join(import.meta.dirname, 'forwarder.c')]);
    this.#forwarder = spawn(program, [prefix, String(count), String(seed)], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#exit = once(this.#forwarder, 'exit');
    this.#lines = createInterface(this.#forwarder.stdout ?? process.stdin)[Symbol.asyncIterator]();
  }

  /** The seed decides which packets are lost. At first, no direction delays or loses any. */
  static async start(hosts: readonly string[], seed: number): Promise<Network> {
    const names = [thisProgram, ...hosts];
    const prefix = freePrefix();
    const network = new Network(prefix, names.length, seed);
    for (let line = await network.#line(); line !== 'ready'; line = await network.#line()) {
      const [number = 0, descriptor] = line.split(' ').map(Number);
      const namespace = `/proc/${network.#forwarder.pid}/fd/${descriptor}`;
      const place = { number, address: `${prefix}.${number + 1}`, launcher: ['nsenter', `--net=${namespace}`] };
      network.#places.set(names[number] ?? '', place);
    }
    return network;
  }

  place(name: string): Place {
    const place = this.#places.get(name);
    if (place === undefined) throw new RangeError(`there is no host ${name}`);
    return place;
  }

  /** Resolves when packets have this quality from now on. */
  async set(from: Place, to: Place, { delayMs, loss }: Quality): Promise<void> {
    const numbers = [from.number, to.number, Math.round(delayMs * 1000), Math.round(loss * 1_000_000)];
    this.#forwarder.stdin?.write(`${numbers.join(' ')}\n`);
    await this.#line();
  }

  async #line(): Promise<string> {
    const { done, value } = await this.#lines.next();
    if (done === true) throw new Error('the forwarder has ended');
    return value;
  }

  async stop(): Promise<void> {
    this.#forwarder.stdin?.end();
    await this.#exit;
    this.#directory.remove();
  }
}

/** A network of 198.18.0.0/15, which is for tests of networks only (RFC 2544), that this machine has no address in. */
function freePrefix(): string {
  const random = new Random();
  const used = Object.values(networkInterfaces()).flatMap(
    (addresses) => addresses?.map(({ address }) => address) ?? [],
  );
  for (;;) {
    const prefix = `198.${random.whole(18, 19)}.${random.whole(0, 255)}`;
    if (!used.some((address) => address.startsWith(`${prefix}.`))) return prefix;
  }
}
