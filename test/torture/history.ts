/** The records of a run, ordered by one clock: performance.now() of one process. */

export type Env = 'live' | 'test';

export type ChangeKind =
  | 'create'
  | 'rename'
  | 'tighten'
  | 'loosen'
  | 'expire'
  | 'renew'
  | 'enable signing'
  | 'rotate signing'
  | 'disable signing'
  | 'rotate'
  | 'rotate with overlap'
  | 'end overlap'
  | 'disable'
  | 'enable'
  | 'scope'
  | 'revoke';

/** The properties of a key that a verdict depends on or contains. */
export interface KeyState {
  readonly name: string;
  readonly env: Env;
  readonly revoked: boolean;
  /** Which of the key's secrets, counted from 0, is the current one. */
  readonly secret: number;
  /** Whether the secret before it is accepted too. */
  readonly overlap: boolean;
  readonly disabled: boolean;
  readonly scopes: readonly string[];
  /** Milliseconds since 1970. */
  readonly expiresAt: number | null;
  /** IPv4 addresses and `a.b.c.0/24` networks; empty for no restriction. */
  readonly allowed: readonly string[];
  /** Which of the key's signing secrets, counted from 0, requests must be signed with. */
  readonly signing: number | null;
}

/** The state of a new key, without its name and environment. */
export const newKey = {
  revoked: false,
  secret: 0,
  overlap: false,
  disabled: false,
  scopes: [],
  expiresAt: null,
  allowed: [],
  signing: null,
} as const;

/** One key has one changer at a time, so that its changes never overlap. Times are those of the run's clock. */
export interface Change {
  readonly kind: ChangeKind;
  readonly requested: number;
  /**
   * Null if there was no answer, or only UNAVAILABLE. The change can then be in force from `requested` on, later or never.
   * Only the last change can be without an answer.
   */
  readonly answered: number | null;
  readonly after: KeyState;
}

export interface Circumstances {
  /** Which of the key's secrets, counted from 0, is presented. */
  readonly secret: number;
  readonly scopes: readonly string[];
  readonly env: Env | null;
  readonly source: string | null;
  /** Which of the key's signing secrets, counted from 0; -1 is one that the key never had. */
  readonly signedWith: number | null;
}

export interface Answer {
  readonly code: string;
  /** Absent if the verdict does not contain it. */
  readonly name?: string;
  readonly secret?: 'current' | 'previous';
  readonly expiresAt?: number | null;
}

export interface Verification {
  /** The name of the verification port. */
  readonly at: string;
  readonly started: number;
  readonly ended: number;
  readonly circumstances: Circumstances;
  readonly answer: Answer;
}

/** A call that was answered, or rejected because the store does not answer. */
export interface TimedCall {
  readonly at: string;
  readonly started: number;
  readonly ended: number;
}

export interface KeyHistory {
  readonly prefix: string;
  /** In their order; the first one creates the key. */
  readonly changes: readonly Change[];
  readonly verifications: readonly Verification[];
}

/** The bounds of Date.now() minus performance.now(), from samples over the whole run. */
export interface ClockOffset {
  readonly least: number;
  readonly most: number;
}
