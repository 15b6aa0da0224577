import { LatchkeyError } from '../../domain/errors.ts';
import type { PortOptions } from '../options.ts';
import type { Caller } from './callers.ts';

/**
 * Rejects a request if its address already holds as many places as are free (the dynamic threshold of Choudhury and
 * Hahne): one address gets at most half of the capacity, two a third each, and some places are always free for others.
 * The answer is 503 immediately, right after the request was read. With a queue, waiting times would grow without bound.
 */
export function checkCapacity({ requests, capacity, report }: PortOptions, caller: Caller, verifications = 1): void {
  if (caller.underWay + verifications <= capacity - requests.underWay) return;
  requests.turnedAway += 1;
  const rejection = new LatchkeyError('UNAVAILABLE', 'Too many verifications are under way; try again shortly.');
  report(rejection, 'verifications were rejected because too many are in progress');
  throw rejection;
}
