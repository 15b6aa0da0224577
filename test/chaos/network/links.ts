/** Links between hosts, their usual quality, and their faults. */
import type { Network, Place, Quality } from './network.ts';

export const linkFaults = ['partition', 'one-way partition', 'slow link', 'lossy link'] as const;
export type LinkFault = (typeof linkFaults)[number];

export class Link {
  readonly name: string;
  readonly #network: Network;
  readonly #ends: readonly [Place, Place];
  #usual: Quality = { delayMs: 0, loss: 0 };
  #isForwardNext = true;

  constructor(network: Network, a: string, b: string) {
    this.name = `${a}–${b}`;
    this.#network = network;
    this.#ends = [network.place(a), network.place(b)];
  }

  /** Sets the usual quality of both directions. */
  async use(quality: Quality): Promise<void> {
    this.#usual = quality;
    await this.restore();
  }

  async restore(): Promise<void> {
    await this.#set(this.#usual, this.#usual);
  }

  async disturb(fault: LinkFault): Promise<void> {
    const usual = this.#usual;
    const lost = { ...usual, loss: 1 };
    if (fault === 'partition') {
      await this.#set(lost, lost);
    } else if (fault === 'one-way partition') {
      await (this.#isForwardNext ? this.#set(lost, usual) : this.#set(usual, lost));
      this.#isForwardNext = !this.#isForwardNext;
    } else {
      const worse = fault === 'slow link' ? { ...usual, delayMs: 100 } : { ...usual, loss: 0.2 };
      await this.#set(worse, worse);
    }
  }

  async #set(forward: Quality, backward: Quality): Promise<void> {
    const [a, b] = this.#ends;
    await Promise.all([this.#network.set(a, b, forward), this.#network.set(b, a, backward)]);
  }
}
