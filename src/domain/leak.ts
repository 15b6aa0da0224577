/** Reports of leaked secrets, and what happens to their keys. */

/** A text that a scanner found where everyone can read it, and that may be the secret of a key. */
export interface LeakMatch {
  readonly token: string;
  /** The scanner's name for this kind of text. */
  readonly type: string;
  /** Where the text was found; empty if the scanner does not say. */
  readonly url: string;
  /** The kind of place, such as `commit`; empty if the scanner does not say. */
  readonly source: string;
}

/** A reported leak of a secret that a key accepts, or would accept once it is enabled or renewed. */
export interface KeyLeak {
  readonly secret: 'CURRENT' | 'PREVIOUS';
  readonly prefix: string;
  readonly reportedAt: Date;
  readonly reporter: string | null;
  readonly source: string | null;
  readonly url: string | null;
  /** How many places of the secret are recorded. The others of this object are those of the first report. */
  readonly places: number;
}

/** What happens to a leaked key that is accepted. In every case, the leak is recorded in the log. */
export const leakPolicies = ['NOTIFY', 'DISABLE', 'REVOKE'] as const;
export type LeakPolicy = (typeof leakPolicies)[number];

/** The policy of a team that has chosen none. */
export const defaultLeakPolicy: LeakPolicy = 'NOTIFY';

/** Who has reported leaks, from where and when. */
export interface LeakReport {
  /** The actor in the log. */
  readonly reporter: 'github' | 'leak scanner';
  readonly source: string | null;
  readonly requestId: string;
  readonly now: Date;
}
