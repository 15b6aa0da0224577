/**
 * The format of histories: newline-delimited JSON with what callers saw from outside. The first line is the header, and
 * every further line is an event, in the order in which they happened. Their times are milliseconds of one clock.
 */

export const formatVersion = 1;

export interface Header {
  readonly version: typeof formatVersion;
  /** The bounds of the system clock (milliseconds since 1970) minus the clock of the events, over the whole history. */
  readonly clock: ClockOffset;
  /** The longest lease that an instance may have had. Default: 0. */
  readonly leaseMs?: number;
}

export interface ClockOffset {
  readonly min: number;
  readonly max: number;
}

export type Event = ChangeCall | ChangeAnswer | VerifyCall | VerifyAnswer;

/**
 * A change of a key is sent. The first one creates the key. One caller at a time changes a key: it sends the next change
 * after the answer to the last one, and none after a change without an answer.
 */
export interface ChangeCall {
  readonly at: number;
  readonly call: number;
  /** Any name for the key. Never its secret. */
  readonly key: string;
  /** What is changed, for people: `revoke`, `tighten`… */
  readonly change: string;
  /** The state of the key after the change. */
  readonly after: KeyState;
}

/** A change is confirmed. Without this event, it can be in force from its call on, later or never. */
export interface ChangeAnswer {
  readonly at: number;
  readonly answer: number;
  /** The answer says that nothing was changed. The state of the call must never have been in force. */
  readonly rejected?: true;
}

/** A request presents a key. */
export interface VerifyCall {
  readonly at: number;
  readonly call: number;
  readonly key: string;
  readonly request: Circumstances;
  /** Where the request is sent, for people. */
  readonly port?: string;
}

/** The request is answered. Without this event, or without a verdict, it failed: a failure breaks no promise. */
export interface VerifyAnswer {
  readonly at: number;
  readonly answer: number;
  readonly verdict?: Verdict;
}

/** The properties of a key that a verdict depends on or contains. */
export interface KeyState {
  readonly name: string;
  readonly env: string;
  readonly revoked: boolean;
  /** Which of the key's secrets, counted from 0, is the current one. */
  readonly secret: number;
  /** Whether the secret before it is accepted too. */
  readonly overlap: boolean;
  readonly disabled: boolean;
  /** Whether a fence freezes it. Default: false. */
  readonly frozen?: boolean;
  readonly scopes: readonly string[];
  /** Milliseconds since 1970. */
  readonly expiresAt: number | null;
  /** IPv4 addresses and `a.b.c.0/24` networks; empty for no restriction. */
  readonly allowed: readonly string[];
  /** Which of the key's signing secrets, counted from 0, requests must be signed with. */
  readonly signing: number | null;
}

/** The properties of a request that its verdict depends on. */
export interface Circumstances {
  /** Which of the key's secrets, counted from 0, is presented. */
  readonly secret: number;
  readonly scopes: readonly string[];
  readonly env: string | null;
  /** An IPv4 address. */
  readonly source: string | null;
  /** Which of the key's signing secrets, counted from 0; -1 is one that the key never had. */
  readonly signedWith: number | null;
}

/** What the answer showed. Every part that is present must be explained by one state of the key. */
export interface Verdict {
  /** Whether the request may pass. All that a caller of a protected API can see. */
  readonly accepted?: boolean;
  readonly code?: string;
  readonly name?: string;
  readonly secret?: 'current' | 'previous';
  readonly expiresAt?: number | null;
}

/** A history that does not follow this format, or whose events are not in a possible order. */
export class HistoryError extends Error {
  override readonly name = 'HistoryError';
}
