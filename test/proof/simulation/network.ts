/** Messages between processes: with delay, loss, duplication, reordering and partitions. */
import type { Process } from './process.ts';
import type { World } from './world.ts';

interface NetworkFaults {
  /** The chance that a message is lost. Its sender learns it from a reset connection, or by a timeout. */
  readonly loss: number;
  /** The chance that a message is late, by `lateMs` on average. */
  readonly late: number;
  readonly lateMs: number;
  /** The chance that a request arrives twice. */
  readonly twice: number;
}

export class NetworkError extends Error {
  readonly reason: 'reset' | 'timeout';

  constructor(reason: 'reset' | 'timeout') {
    super(`the connection has a ${reason}`);
    this.reason = reason;
  }
}

interface Exchange<Answer> {
  readonly from: Process;
  readonly to: Process;
  readonly timeoutMs: number;
  /** Whether the request may arrive twice. */
  readonly isIdempotent?: boolean;
  /** Runs in the process `to`. */
  readonly handle: () => Answer | Promise<Answer>;
}

const ordinaryMs = [0.05, 0.6] as const;
/** The time between two attempts to send a packet across a partition. */
const retransmitMs = 100;

export class Network {
  readonly #world: World;
  readonly #faults: NetworkFaults;
  readonly #cut = new Map<string, number>();
  readonly #count: (fault: string) => void;

  constructor(world: World, faults: NetworkFaults, count: (fault: string) => void) {
    this.#world = world;
    this.#faults = faults;
    this.#count = count;
  }

  cut(a: Process, b: Process): void {
    const link = linkOf(a, b);
    this.#cut.set(link, (this.#cut.get(link) ?? 0) + 1);
  }

  heal(a: Process, b: Process): void {
    const link = linkOf(a, b);
    this.#cut.set(link, (this.#cut.get(link) ?? 1) - 1);
  }

  /** Delivers a one-way message. */
  send(from: Process, to: Process, deliver: () => void): void {
    this.#transmit(from, to, deliver, () => undefined);
  }

  /** Sends a request. Resolves to the answer, or rejects with the error of `handle` or with a NetworkError. */
  exchange<Answer>({ from, to, timeoutMs, isIdempotent, handle }: Exchange<Answer>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        cancelTimeout();
        forget();
        settle();
      };
      const reset = () => from.run(this.#delayMs(), () => end(() => reject(new NetworkError('reset'))));
      const cancelTimeout = from.after(timeoutMs, () => end(() => reject(new NetworkError('timeout'))));
      const forget = to.onCrash(reset);
      const answer = (settle: () => void) => this.#transmit(to, from, () => end(settle), reset);
      const deliver = () => {
        // An error of `handle` is an answer too, also if it is thrown before the first await.
        const handled = new Promise<Answer>((done) => done(handle()));
        handled.then(
          (value) => answer(() => resolve(value)),
          (error) => answer(() => reject(error)),
        );
      };
      if (!to.isUp) return reset();
      this.#transmit(from, to, deliver, reset);
      if (isIdempotent === true && this.#happens('twice')) this.#transmit(from, to, deliver, reset);
    });
  }

  #transmit(from: Process, to: Process, deliver: () => void, reset: () => void): void {
    if (this.#happens('loss')) {
      if (this.#world.random.chance(0.5)) reset();
      return;
    }
    to.run(this.#delayMs(), () => {
      if ((this.#cut.get(linkOf(from, to)) ?? 0) === 0) deliver();
      // A packet that does not arrive is sent again, until the sender gives up.
      else if (this.#world.random.chance(0.7)) to.run(retransmitMs, () => this.#transmit(from, to, deliver, reset));
    });
  }

  #delayMs(): number {
    const { random } = this.#world;
    const { late, lateMs } = this.#faults;
    if (!random.chance(late)) return random.between(...ordinaryMs);
    this.#count('late message');
    return random.between(0, 2 * lateMs);
  }

  #happens(fault: 'loss' | 'twice'): boolean {
    const happens = this.#world.random.chance(this.#faults[fault]);
    if (happens) this.#count(fault === 'loss' ? 'lost message' : 'request twice');
    return happens;
  }
}

function linkOf(a: Process, b: Process): string {
  return a.name < b.name ? `${a.name} ${b.name}` : `${b.name} ${a.name}`;
}
