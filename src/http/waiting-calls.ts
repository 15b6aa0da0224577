import type { Response } from 'express';
import { type Share, Slots } from '../admission/slots.ts';
import { LatchkeyError } from '../domain/errors.ts';

/** Each costs a connection and some 50 kB of memory, for 30 s at most. */
export const waitingPlaces = { total: 512, perCaller: 16, perTeam: 64 } as const;

/** The calls that wait for events, which hold none of the slots for calls that work. */
export class WaitingCalls {
  readonly #places = new Slots(waitingPlaces.total);

  /**
   * Runs a wait in one of the places. Its signal is aborted when the client disconnects.
   * Throws RATE_LIMITED if all places or those of the caller are taken.
   */
  async run<Result>(
    response: Response,
    shares: readonly Share[],
    wait: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const place = this.#places.take(shares);
    if (place.outcome !== 'taken') {
      const message =
        'Too many calls of this caller, team or address wait for events. Call again later, or without `wait`.';
      throw new LatchkeyError('RATE_LIMITED', message, { retryAfterSeconds: 5 });
    }
    const abort = new AbortController();
    const onClose = () => {
      place.release();
      abort.abort();
    };
    response.once('close', onClose);
    try {
      return await wait(abort.signal);
    } finally {
      response.off('close', onClose);
      place.release();
    }
  }
}
