/** What a run keeps about its keys and calls, besides its history. Times are those of performance.now(). */
import type { KeyState } from '../../proof/history/format.ts';

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

/** One key has one changer at a time, so that its changes never overlap. */
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

export interface KeyChanges {
  readonly prefix: string;
  /** In their order; the first one creates the key. */
  readonly changes: readonly Change[];
}

/** A call that was answered, or rejected because the store does not answer. */
export interface TimedCall {
  readonly at: string;
  readonly started: number;
  readonly ended: number;
}
