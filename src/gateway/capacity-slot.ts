import type { RequestCounters } from '../metrics/request-counters.ts';

/** A slot of the capacity of the port, or several. A verification holds one, except while it waits for DNS. */
export class CapacitySlot {
  readonly #requests: RequestCounters;
  readonly #slots: number;
  #isHeld = false;

  constructor(requests: RequestCounters, slots = 1) {
    this.#requests = requests;
    this.#slots = slots;
    this.hold(true);
  }

  hold(holds: boolean): void {
    if (holds === this.#isHeld) return;
    this.#isHeld = holds;
    this.#requests.underWay += holds ? this.#slots : -this.#slots;
  }
}
