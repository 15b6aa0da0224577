import type { KeyRing } from '../domain/secret/key-ring.ts';
import type { RandomBytes } from '../domain/secret/secret.ts';
import type { IpAddress } from '../domain/source/ip-address.ts';
import type { Store } from '../store/store.ts';
import type { ChangeBudget } from './change/change-budget.ts';
import type { OpaqueRevisions } from './read/opaque-revisions.ts';

/** The dependencies of the use cases. */
export interface Management {
  readonly store: Store;
  readonly keyTag: string;
  readonly peppers: KeyRing;
  readonly signingKeks: KeyRing;
  /** Encodes revisions for callers. */
  readonly revisions: OpaqueRevisions;
  readonly maxKeysPerTeam: number;
  readonly budget: ChangeBudget;
  readonly randomBytes: RandomBytes;
  /** Returns whether a signature with this nonce was accepted before. */
  readonly isNonceUsed: (keyId: string, nonce: string) => Promise<boolean>;
  /** Resolves a host name of an allow-list now, with the same kind of resolver as verifications. */
  readonly addressesOf: (host: string, teamId: string) => Promise<readonly IpAddress[]>;
}
