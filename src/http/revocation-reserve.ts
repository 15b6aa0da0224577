import type { Response } from 'express';
import { Slots } from '../admission/slots.ts';

const maxRunning = 32;
/** Running and waiting. A revocation takes a few milliseconds, so the last one in the queue still runs within a second. */
const maxAdmitted = 512;
/** For one caller. Further concurrent revocations of that caller use ordinary slots. */
const maxPerCaller = 8;

/**
 * Capacity that only revocations can use. A leaked key must be revocable while callers of any kind hold all ordinary
 * slots. Revocations queue here instead of being rejected: a flood of them delays each one by milliseconds.
 */
export class RevocationReserve {
  readonly #admitted = new Slots(maxAdmitted);
  readonly #queue: (() => void)[] = [];
  #running = 0;

  /** Calls `start` when capacity is free. Returns false if the caller has used its share or the queue is full. */
  enter(response: Response, caller: string, start: () => void): boolean {
    const slot = this.#admitted.take([{ holder: caller, maxSlots: maxPerCaller }]);
    if (slot.outcome !== 'taken') return false;
    onceDone(response, () => {
      slot.release();
      const place = this.#queue.indexOf(start);
      if (place >= 0) this.#queue.splice(place, 1);
      else this.#running -= 1;
      this.#startNext();
    });
    this.#queue.push(start);
    this.#startNext();
    return true;
  }

  #startNext(): void {
    while (this.#running < maxRunning) {
      const start = this.#queue.shift();
      if (start === undefined) return;
      this.#running += 1;
      start();
    }
  }
}

/**
 * Calls back when the response is complete or its client has disconnected. It does not wait until the client has read
 * the response: a client that doesn't read must not hold a slot.
 */
export function onceDone(response: Response, callback: () => void): void {
  let isDone = false;
  const done = () => {
    if (!isDone) callback();
    isDone = true;
  };
  response.once('prefinish', done).once('close', done);
}
