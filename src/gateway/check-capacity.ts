import { LatchkeyError } from '../domain/errors.ts';
import type { PortOptions } from './options.ts';

/**
 * Requests above the capacity get 503 immediately, right after the request was read. With a queue, waiting times would
 * grow without bound.
 */
export function checkCapacity({ requests, capacity, report }: PortOptions, verifications = 1): void {
  if (requests.underWay + verifications <= capacity) return;
  requests.turnedAway += 1;
  const rejection = new LatchkeyError('UNAVAILABLE', 'Too many verifications are under way; try again shortly.');
  report(rejection, 'verifications were rejected because too many are in progress');
  throw rejection;
}
