import { DurationHistogram, requestBounds } from './duration-histogram.ts';

/** Counts the requests of one port. Each route stays in memory, so routes are from a fixed set, never from a URL. */
export class RequestCounters {
  readonly port: 'management' | 'verification';
  /** Requests in progress that count against the capacity of the port. */
  underWay = 0;
  /** Requests rejected because the port was at its capacity. */
  turnedAway = 0;
  /** Durations by route, then by the first digit of the status. */
  readonly #counters = new Map<string, (DurationHistogram | undefined)[]>();

  constructor(port: RequestCounters['port']) {
    this.port = port;
  }

  add(route: string, status: number, milliseconds: number): void {
    let classes = this.#counters.get(route);
    if (classes === undefined) {
      classes = new Array<DurationHistogram | undefined>(6).fill(undefined);
      this.#counters.set(route, classes);
    }
    const first = Math.trunc(status / 100);
    classes[first] ??= new DurationHistogram(requestBounds);
    classes[first].add(milliseconds);
  }

  *[Symbol.iterator]() {
    for (const [route, classes] of this.#counters) {
      for (const [first, durations] of classes.entries()) {
        if (durations !== undefined) yield { route, status: `${first}xx`, durations };
      }
    }
  }
}
