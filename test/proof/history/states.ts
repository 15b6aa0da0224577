/** What the checker knows about the states of a key, and when a request can be decided on them. */
import type { ClockOffset, KeyState } from './format.ts';

/** A point of the history: a time, and the number of the event. Several events can have the same time. */
export interface Moment {
  readonly at: number;
  readonly event: number;
}

export const never: Moment = { at: Number.POSITIVE_INFINITY, event: Number.POSITIVE_INFINITY };

export function isBefore(one: Moment, other: Moment): boolean {
  return one.at < other.at || (one.at === other.at && one.event < other.event);
}

export interface State {
  readonly change: string;
  readonly after: KeyState;
  readonly requested: number;
  /** When the change was answered; null before. */
  answered: number | null;
  /** From when on a newer state is in force: no request that starts later can be decided on this one. */
  replaced: Moment;
  /** From this time on the clock can show that the key has expired. */
  readonly mayExpireAt: number;
  /** From this time on the clock shows that the key has expired. */
  readonly mustExpireAt: number;
}

/** System clocks have whole milliseconds, and truncate. */
const clockGrainMs = 1;

export function newState(change: string, after: KeyState, requested: number, clock: ClockOffset): State {
  // A key is still accepted in the millisecond `expiresAt`.
  const expiredAt = (after.expiresAt ?? Number.POSITIVE_INFINITY) + 1;
  return {
    change,
    after,
    requested,
    answered: null,
    replaced: never,
    mayExpireAt: expiredAt - clock.max - clockGrainMs,
    mustExpireAt: expiredAt - clock.min + clockGrainMs,
  };
}

/** The last moment at which a request can start that is decided on this state while the key has not expired. */
export function endOfUnexpired({ replaced, mustExpireAt }: State): Moment {
  const expired = { at: mustExpireAt, event: -1 };
  return isBefore(expired, replaced) ? expired : replaced;
}
