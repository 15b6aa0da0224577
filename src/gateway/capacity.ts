import { LatchkeyError } from '../domain/errors.ts';
import type { ClientNetwork } from './client-networks.ts';
import type { CountedCall } from './exchange.ts';
import type { PortOptions } from './options.ts';

/**
 * Rejects a request if its address would hold more slots than are free (the dynamic threshold of Choudhury and Hahne).
 * One address gets at most half of the capacity, two addresses get a third each, and some slots stay free for others.
 * Not `Slots` of admission: their shares are fixed, and they take 0.2 µs for a verification instead of 0.01 µs, which is
 * 1 % of a warm one. The attack junk of `npm run load -- hostile` sends more than the capacity.
 */
export function checkCapacity({ requests, capacity, report }: PortOptions, network: ClientNetwork, slots = 1): void {
  if (network.slots + slots <= capacity - requests.underWay) return;
  requests.turnedAway += 1;
  const error = new LatchkeyError('UNAVAILABLE', 'Too many verifications are under way; try again shortly.');
  report(error, 'verifications were rejected because too many are in progress');
  throw error;
}

/** One or more slots of the capacity. A verification holds one slot, except while it waits for DNS. */
export class CapacitySlot {
  readonly #requests: CountedCall['requests'];
  readonly #network: ClientNetwork;
  readonly #slots: number;
  #isHeld = false;

  constructor({ requests, network }: CountedCall, slots = 1) {
    this.#requests = requests;
    this.#network = network;
    this.#slots = slots;
    this.acquire();
  }

  acquire(): void {
    if (this.#isHeld) return;
    this.#isHeld = true;
    this.#count(this.#slots);
  }

  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#count(-this.#slots);
  }

  #count(change: number): void {
    this.#requests.underWay += change;
    this.#network.count(change, 0);
  }
}
