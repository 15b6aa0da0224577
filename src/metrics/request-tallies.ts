import { DurationTally, requestBounds } from './duration-tally.ts';

export interface TalliedRequests {
  readonly route: string;
  /** `2xx` and the like. */
  readonly status: string;
  readonly durations: DurationTally;
}

/**
 * The requests of one port. A route is always one of a fixed set, never what somebody put into a URL: every route that
 * was ever asked for stays in memory and in every scrape.
 */
export class RequestTallies {
  readonly port: 'management' | 'verification';
  /** Calls that hold one of the places that the port has for them. */
  underWay = 0;
  /** Calls for which there was no place. */
  turnedAway = 0;
  /** By route, then by the status' first digit. */
  readonly #tallies = new Map<string, (DurationTally | undefined)[]>();

  constructor(port: RequestTallies['port']) {
    this.port = port;
  }

  add(route: string, status: number, milliseconds: number): void {
    let classes = this.#tallies.get(route);
    if (classes === undefined) {
      classes = new Array<DurationTally | undefined>(6).fill(undefined);
      this.#tallies.set(route, classes);
    }
    const first = Math.trunc(status / 100);
    let durations = classes[first];
    if (durations === undefined) {
      durations = new DurationTally(requestBounds);
      classes[first] = durations;
    }
    durations.add(milliseconds);
  }

  *[Symbol.iterator](): Generator<TalliedRequests> {
    for (const [route, classes] of this.#tallies) {
      for (const [first, durations] of classes.entries()) {
        if (durations !== undefined) yield { route, status: `${first}xx`, durations };
      }
    }
  }
}
