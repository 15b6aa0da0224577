import type { IpAddress } from '../domain/ip-address.ts';
import type { KeyRing } from '../domain/key-ring.ts';
import type { OpaqueRevisions } from '../domain/opaque-revisions.ts';
import type { RandomBytes } from '../domain/secret.ts';
import type { Store } from '../store/store.ts';
import type { ChangeBudget } from './change-budget.ts';

/** What the use cases work with. */
export interface Management {
  readonly store: Store;
  readonly keyTag: string;
  readonly peppers: KeyRing;
  readonly signingKeks: KeyRing;
  /** How callers see revisions. */
  readonly revisions: OpaqueRevisions;
  readonly maxKeysPerTeam: number;
  readonly budget: ChangeBudget;
  readonly randomBytes: RandomBytes;
  /** Whether a signature with this nonce was accepted before. */
  readonly isNonceUsed: (keyId: string, nonce: string) => Promise<boolean>;
  /** The addresses that a host name in an allow-list has right now, by the same resolver as verifications. */
  readonly addressesOf: (host: string, teamId: string) => Promise<readonly IpAddress[]>;
}
