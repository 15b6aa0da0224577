import type { Event } from '../../proof/history/format.ts';

/**
 * Returns the history without the verifications at a port. A wrong verdict there can show a change before it is made, so
 * that correct verdicts elsewhere contradict it, and are violations too.
 */
export function withoutPort(events: readonly Event[], port: string): Event[] {
  const dropped = new Set<number>();
  return events.filter((event) => {
    if ('answer' in event) return !dropped.delete(event.answer);
    const isDropped = 'request' in event && event.port === port;
    if (isDropped) dropped.add(event.call);
    return !isDropped;
  });
}
