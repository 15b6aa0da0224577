import type { RequestCounters } from '../metrics/request-counters.ts';

/** A slot of the capacity of the port. A verification holds one, except while it waits for DNS. */
export class CapacitySlot {
  readonly #requests: RequestCounters;
  #isHeld = false;

  constructor(requests: RequestCounters) {
    this.#requests = requests;
    this.hold(true);
  }

  hold(holds: boolean): void {
    if (holds === this.#isHeld) return;
    this.#isHeld = holds;
    this.#requests.underWay += holds ? 1 : -1;
  }
}
