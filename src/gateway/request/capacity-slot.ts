import type { Exchange } from '../exchange.ts';
import type { Caller } from './callers.ts';

/** A slot of the capacity of the port, or several. A verification holds one, except while it waits for DNS. */
export class CapacitySlot {
  readonly #requests: Exchange['requests'];
  readonly #caller: Caller;
  readonly #slots: number;
  #isHeld = false;

  constructor({ requests, caller }: Pick<Exchange, 'requests' | 'caller'>, slots = 1) {
    this.#requests = requests;
    this.#caller = caller;
    this.#slots = slots;
    this.hold(true);
  }

  hold(holds: boolean): void {
    if (holds === this.#isHeld) return;
    this.#isHeld = holds;
    const change = holds ? this.#slots : -this.#slots;
    this.#requests.underWay += change;
    this.#caller.underWay += change;
  }
}
