/** A receipt states when a change was answered that takes access away, and which verifiers have confirmed it since. */
import type { EventAction } from '../event/event-types.ts';

/** What a receipt can be about. */
export const receiptActions = [
  'KEY_REVOKED',
  'KEY_DISABLED',
  'KEY_ROTATED',
  'OVERLAP_ENDED',
  'KEY_EXPOSED',
  'KEYS_FROZEN',
  'ACCESS_KEY_REVOKED',
] as const satisfies readonly EventAction[];

export type ReceiptAction = (typeof receiptActions)[number];

export function isReceiptAction(action: string): action is ReceiptAction {
  return (receiptActions as readonly string[]).includes(action);
}

/** Of a process of an instance, an edge or a local verifier. Times are ISO 8601. */
export interface VerifierStatement {
  readonly id: string;
  readonly kind: 'INSTANCE' | 'EDGE';
  /** `CONFIRMED`: it decides on this state or a newer one. `SILENT`: it can accept nothing before it confirms it. */
  readonly state: 'CONFIRMED' | 'SILENT';
  /**
   * `CONFIRMED`: the last time at which it is known to have decided on this state or a newer one. `SILENT`: when it was last
   * heard of.
   */
  readonly at: string;
}

export interface ReceiptStatement {
  readonly version: 1;
  /** The `Latchkey-Revision` of the answer. */
  readonly revision: string;
  readonly action: ReceiptAction;
  readonly teamId: string;
  /** The key, the management key or the fence. */
  readonly subject: { readonly id: string; readonly name: string | null; readonly prefix: string | null };
  readonly requestedAt: string;
  readonly requestedBy: string;
  /** When the change was answered; null if no instance has recorded it, because it was stopped at that moment. */
  readonly answeredAt: string | null;
  /** No verdict on a request that arrived later rests on a state before the change: `answeredAt`, or else `issuedAt`. */
  readonly inForceSince: string;
  readonly promise: string;
  /** Those that were heard of in the hour before `issuedAt`. */
  readonly verifiers: readonly VerifierStatement[];
  /** Whether each of them has confirmed the state, or has been silent for longer than a lease. */
  readonly complete: boolean;
  /**
   * When the key was last accepted, as far as verifiers have reported it. Use is reported a little later, so some of it since
   * shortly before `reportedUntil` may be missing.
   */
  readonly lastUse: { readonly acceptedAt: string | null; readonly reportedUntil: string | null } | null;
  readonly issuedAt: string;
}

export const promiseText =
  'No verdict on a request that arrived after inForceSince rests on a state before this revision: every verdict is on a state at least as new as its request, and the change was answered only after every lease had ended that could have been granted before it.';

/** Where the public keys are (RFC 8615). */
export const receiptKeysPath = '/.well-known/latchkey-receipts.json';
